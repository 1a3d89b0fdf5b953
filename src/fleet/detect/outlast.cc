#include "fleet/detect/outlast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

constexpr size_t kLengths = 64;  // are kept: the latest

// Runs as rows come; missing ones count once the run goes on after them.
class Runs {
 public:
  explicit Runs(double size)
      : size_(size) {
  }

  void row(float distance) {
    const bool missing = std::isnan(distance);
    missing_ = missing ? missing_ + 1 : 0;
    const bool like = !missing && distance / size_ >= tuning::kBlockShare.value;
    const bool bridged = missing && double(missing_) <= tuning::kBridgedRows.value;
    ++rows_;
    if (like)
      run_.rows = rows_ - begin_;
    if (like || bridged)
      return;
    close();
    run_ = {};
    begin_ = rows_;
  }
  void close() {
    run_.from_the_start = begin_ == 0;
    if (run_.rows > longest_.rows)
      longest_ = run_;
  }
  UnbrokenRun longest() const {
    return longest_;
  }
  UnbrokenRun last() const {
    return run_;
  }

 private:
  double size_;
  size_t rows_ = 0;
  size_t begin_ = 0;
  size_t missing_ = 0;
  UnbrokenRun run_;
  UnbrokenRun longest_;
};

Runs runs_of(Distances distances, double size) {
  Runs runs(size);
  for (const float d : distances)
    runs.row(d);
  runs.close();
  return runs;
}

}  // namespace

UnbrokenRun longest_run(Distances distances, double size) {
  return runs_of(distances, size).longest();
}

UnbrokenRun last_run(Distances distances, double size) {
  return runs_of(distances, size).last();
}

void Outlast::learn(Distances distances, double row_s, int64_t now_ms) {
  if (faded_ms_ != INT64_MIN && now_ms > faded_ms_) {
    const double days = double(now_ms - faded_ms_) / 86400e3;
    longest_s_ *= std::exp2(-days / tuning::kExcursionHalfLife.value);
  }
  faded_ms_ = now_ms;
  double largest = 0;
  for (const float d : distances) {
    if (std::abs(d) > std::abs(largest))
      largest = d;
  }
  const UnbrokenRun run = longest_run(distances, largest);
  if (largest == 0 || run.from_the_start)
    return;  // no burst: it was there before
  const double length_s = double(run.rows) * row_s;
  longest_s_ = std::max(longest_s_, length_s);
  if (lengths_s_.size() < kLengths)
    lengths_s_.push_back(length_s);
  else
    lengths_s_[size_t(count_) % kLengths] = length_s;
  ++count_;
}

double Outlast::needed_s() const {
  return tuning::kOutlast.value * std::max(longest_s_, tuning::kBurstOfAMinute.value);
}

double Outlast::chains_a_day(double run_s, double row_s, size_t machines, double assumed) const {
  if (hours_ <= 0)
    return std::numeric_limits<double>::infinity();
  const auto excess = [&](double a, double b) {
    return std::max(0.0, a + b + row_s - run_s);
  };
  const double minute = tuning::kBurstOfAMinute.value;
  double seen = 0;
  double mixed = 0;
  for (const double a : lengths_s_) {
    mixed += 2 * excess(a, minute);
    for (const double b : lengths_s_)
      seen += excess(a, b);
  }
  const double each = lengths_s_.empty() ? 0 : count_ / double(lengths_s_.size());
  const double pairs =
      each * each * seen + each * assumed * mixed + assumed * assumed * excess(minute, minute);
  return 24 * double(machines) * pairs / (3600 * hours_ * hours_);
}

std::vector<double> Outlast::state() const {
  std::vector<double> s{longest_s_, count_, hours_};
  s.insert(s.end(), lengths_s_.begin(), lengths_s_.end());
  return s;
}

void Outlast::restore(std::span<const double> s) {
  const bool sound = s.size() >= 3 && s.size() <= 3 + kLengths && std::ranges::all_of(s, [](double x) {
                       return x >= 0 && x < 1e15;
                     });
  if (!sound || s[1] < double(s.size() - 3))
    return;
  longest_s_ = s[0];
  count_ = s[1];
  hours_ = s[2];
  lengths_s_.assign(s.begin() + 3, s.end());
}

}  // namespace lento::fleet
