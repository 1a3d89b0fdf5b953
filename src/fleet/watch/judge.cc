// Replaces the scan when new machines or metrics appear, because a scan has a fixed set of them. The new scan
// reads the last hour again and continues the active episodes, as after a restart of the watch.
#include "fleet/watch/judge.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evidence/sample.h"
#include "fleet/scan/expected.h"

namespace lento::fleet {
namespace {

constexpr int64_t kRecent = 300'000;  // ms: period of the rows that are compared with a prediction

}  // namespace

JobJudge::JobJudge(ScanOptions options, std::function<void(const std::string&)> note)
    : options_(std::move(options)),
      note_(std::move(note)) {
}

void JobJudge::begin(ScanFleet fleet) {
  if (scan_ && state_.is_null())
    state_ = scan_->save();
  history_ = std::make_unique<History>(fleet);
  scan_ = std::make_unique<Scan>(std::move(fleet), options_);
  medians_.clear();
  if (state_.is_null())
    return;
  try {
    scan_->join_members(state_);
  } catch (const base::Error& e) {
    note_(std::string(e.what()) + "\n  (starting without the saved state)");
    state_ = {};
  }
}

void JobJudge::take_over() {
  const base::Json state = std::exchange(state_, {});
  if (state.is_null())
    return;
  try {
    scan_->take_over(state);
  } catch (const base::Error& e) {
    note_(std::string(e.what()) + "\n  (going on without the rest of the saved state)");
  }
}

void JobJudge::push(int64_t time_ms, std::span<const float> row) {
  scan_->push(time_ms, row);
  history_->push(time_ms, row);
  note_medians(time_ms, row);
}

// Keeps the medians over the machines for the metrics that have a prediction.
void JobJudge::note_medians(int64_t time_ms, std::span<const float> row) {
  const ScanFleet& f = scan_->fleet();
  medians_.resize(options_.expectations.size());
  for (size_t i = 0; i < medians_.size(); ++i) {
    std::deque<std::pair<int64_t, double>>& medians = medians_[i];
    while (!medians.empty() && medians.front().first < time_ms - kRecent)
      medians.pop_front();
    const auto metric = expected_metric(options_.expectations[i], f.metrics, options_.expected_metric);
    if (!metric)
      continue;
    std::vector<double> values;
    for (const float v : row.subspan(*metric * f.machines.size(), f.machines.size())) {
      if (!std::isnan(v))
        values.push_back(double(v));
    }
    if (!values.empty())
      medians.emplace_back(time_ms, evidence::median(values));
  }
}

std::optional<finding::Finding> JobJudge::slower_than_predicted() const {
  for (size_t i = 0; scan_ && i < std::min(medians_.size(), options_.expectations.size()); ++i) {
    std::vector<double> values;
    for (const auto& [ms, median] : medians_[i])
      values.push_back(median);
    const finding::Expectation& e = options_.expectations[i];
    const auto metric = expected_metric(e, scan_->fleet().metrics, options_.expected_metric);
    if (!metric || values.empty())
      continue;
    if (auto slower = slow_fleet(e, scan_->fleet().metrics[*metric], evidence::median(values)))
      return slower;
  }
  return std::nullopt;
}

finding::Diagnosis JobJudge::diagnosis() const {
  if (scan_)
    return conclude(history_->series(scan_->fleet()), *scan_, options_);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Fleet";
  finding::cannot_judge(d, "no sample was seen", "run 'lento fleet doctor' on the store");
  return d;
}

void JobJudge::load(base::Json state) {
  state_ = std::move(state);
}

std::optional<base::Json> JobJudge::save() const {
  if (!scan_ || !state_.is_null())
    return std::nullopt;
  return scan_->save();
}

}  // namespace lento::fleet
