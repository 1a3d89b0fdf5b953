#include "fleet/detect/echo.h"

#include <algorithm>
#include <cmath>

#include "evidence/sample.h"
#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

constexpr double kEchoSigmaOfMad = 1.4826;  // a normal law's standard deviation over its MAD

// The size beyond which a change says nothing about noise.
double outlier(const std::vector<float>& changes) {
  std::vector<double> size;
  for (const float x : changes) {
    if (!std::isnan(x))
      size.push_back(std::abs(x));
  }
  return size.empty() ? 0 : tuning::kOutlier.value * kEchoSigmaOfMad * evidence::median(size);
}

}  // namespace

Echo::Echo(size_t lag)
    : lag_(std::max<size_t>(1, lag)) {
}

double Echo::slope() const {
  if (pairs_ < tuning::kFirstEchoes.value || !(square_ > 0))
    return 0;
  return std::clamp(with_earlier_ / square_, -1.0, 0.0);
}

double Echo::of(size_t m) const {
  if (earlier_.size() < lag_ || std::isnan(earlier_.front()[m]))
    return 0;
  const double most = tuning::kEcho.value * std::sqrt(square_);
  return slope() * std::clamp<double>(earlier_.front()[m], -most, most);
}

void Echo::learn(const std::vector<float>& change) {
  const std::vector<float>& before = earlier_.front();
  const double most_now = outlier(change);
  const double most_before = outlier(before);
  double product = 0;
  double square = 0;
  double n = 0;
  for (size_t m = 0; m < change.size(); ++m) {
    if (!(std::abs(change[m]) <= most_now && std::abs(before[m]) <= most_before))
      continue;
    product += double(change[m]) * before[m];
    square += double(before[m]) * before[m];
    ++n;
  }
  if (n < 2)
    return;
  pairs_ += n;
  count_ = std::min(count_ + 1, tuning::kMemory.value);
  with_earlier_ += (product / n - with_earlier_) / count_;
  square_ += (square / n - square_) / count_;
}

void Echo::see(std::vector<float> change) {
  if (earlier_.size() == lag_) {
    learn(change);
    earlier_.pop_front();
  }
  earlier_.push_back(std::move(change));
}

std::vector<double> Echo::state() const {
  return {with_earlier_, square_, count_, pairs_};
}

void Echo::restore(std::span<const double> s) {
  if (s.size() != kNumbers || !(s[1] >= 0) || !(s[2] >= 0) || !(s[3] >= 0) ||
      !std::ranges::all_of(s, [](double x) {
        return std::isfinite(x);
      }))
    return;
  with_earlier_ = s[0];
  square_ = s[1];
  count_ = std::min(s[2], tuning::kMemory.value);
  pairs_ = s[3];
}

}  // namespace lento::fleet
