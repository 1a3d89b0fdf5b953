// Finds changes of Xid gauges. The gauge of a GPU holds the code of its last error. Of several GPUs of a
// machine the largest code is used. Counts and rates of errors are amounts, which the scan judges.
#include "fleet/scan/codes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "fleet/read/column_names.h"

namespace lento::fleet {
namespace {

constexpr size_t kMostEvents = 10'000;
constexpr float kMostCode = 1e6;

bool holds_xid(const std::string& metric) {
  const std::string name = base::lower_case(metric);
  const auto has = [&](const char* word) {
    return name.find(word) != std::string::npos;
  };
  return has("xid") && !has("count") && !has("rate") && !has("total") && !name.ends_with(":min") &&
         !name.ends_with(":mean");
}

}  // namespace

std::string code_text(const CodeEvent& event, CodeCatalogue catalogue) {
  const std::string text = catalogue ? catalogue(event.code).text : "";
  return "Xid " + std::to_string(event.code) + (text.empty() ? "" : " (" + text + ")");
}

Codes::Codes(const std::vector<std::string>& metrics, size_t machines)
    : machines_(machines) {
  for (size_t k = 0; k < metrics.size(); ++k) {
    if (holds_xid(metrics[k]))
      metrics_.push_back(k);
  }
  last_.assign(metrics_.size() * machines, std::numeric_limits<float>::quiet_NaN());
}

void Codes::push(int64_t time_ms, std::span<const float> values) {
  for (size_t k = 0; k < metrics_.size(); ++k) {
    for (size_t m = 0; m < machines_; ++m) {
      const float value = values[metrics_[k] * machines_ + m];
      if (!std::isnan(value))
        take(k, m, time_ms, value);
    }
  }
}

void Codes::take(size_t k, size_t machine, int64_t time_ms, float value) {
  float& last = last_[k * machines_ + machine];
  const bool first = std::isnan(last);
  if (value == last && value == 0)
    return;
  const auto stands = std::ranges::find_if(events_, [&](const CodeEvent& e) {
    return e.stands && e.metric == metrics_[k] && e.machine == machine;
  });
  if (stands != events_.end() && value == last) {
    stands->last_ms = time_ms;
    return;
  }
  if (stands != events_.end())
    stands->stands = false;
  last = value;
  if (value > 0 && value < kMostCode && value == std::floor(value) && events_.size() < kMostEvents)
    events_.push_back({metrics_[k], machine, int64_t(value), time_ms, time_ms, first, true});
}

void Codes::forget_resolved(int64_t before_ms) {
  std::erase_if(events_, [&](const CodeEvent& e) {
    return !e.stands && e.last_ms < before_ms;
  });
}

}  // namespace lento::fleet
