// Joins blocks of a recorded hour to days. Each machine draws blocks of its own, because machines of one job
// are exchangeable, and the days have the noise of the record without its faults.
#include "lab/fleet/resampled.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

// Steps of a block: one at least, all at most.
size_t block_of(const MetricSeries& s, double block_s) {
  return size_t(std::clamp(block_s * 1000 / double(s.step_ms), 1.0, double(s.steps)));
}

// Rows of a series by blocks, a row at a time.
class Source {
 public:
  Source(const MetricSeries& s, Resampling how, double block_s, uint64_t seed)
      : s_(s),
        how_(how),
        block_(block_of(s, block_s)),
        rng_(seed, "resampled"),
        at_(s.machines.size(), 0),
        left_(s.machines.size(), 0) {
    std::vector<double> column;
    for (size_t t = 0; t < s.steps; ++t) {
      column.clear();
      for (const float v : s.row(0, t)) {
        if (!std::isnan(v))
          column.push_back(v);
      }
      median_.push_back(column.empty() ? NAN : evidence::median(column));
    }
  }

  void next(std::vector<float>& row) {
    row.resize(s_.machines.size());
    for (size_t m = 0; m < row.size(); ++m) {
      if (left_[m] == 0)
        draw(m);
      row[m] = s_.row(0, at_[m])[m];
      if (how_ == Resampling::Apart)
        row[m] += float(median_[time_] - median_[at_[m]]);
    }
    for (size_t m = 0; m < row.size(); ++m) {
      ++at_[m];
      --left_[m];
    }
    time_ = (time_ + 1) % s_.steps;
  }

 private:
  // Blocks of different machines do not end together, or every machine would jump at once.
  void draw(size_t m) {
    const bool together = how_ == Resampling::Together;
    at_[m] = together && m > 0 ? at_[0] : rng_.below(s_.steps - block_ + 1);
    left_[m] = together ? block_ : std::min(1 + rng_.below(2 * block_), s_.steps - at_[m]);
  }

  const MetricSeries& s_;
  Resampling how_;
  size_t block_;
  base::Rng rng_;
  std::vector<size_t> at_;
  std::vector<size_t> left_;
  std::vector<double> median_;
  size_t time_ = 0;
};

}  // namespace

FalseAlarms false_alarms(
    const MetricSeries& s,
    Resampling how,
    double days,
    double block_s,
    uint64_t seed,
    const ScanOptions& options,
    const base::Progress& progress) {
  FalseAlarms out;
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, 0}, options);
  Source source(s, how, block_s, seed);
  std::vector<float> row;
  const auto count = [&](bool ended_only) {
    for (const Episode& e : scan.episodes()) {
      if (e.what != Episode::What::Machines || (ended_only && e.active))
        continue;
      ++out.alarms;
      out.scores.push_back(double(e.score));
    }
  };
  const auto steps = int64_t(days * 86400e3 / double(s.step_ms));
  for (int64_t i = 0; i < steps && !progress.stopped(); ++i) {
    source.next(row);
    scan.push(i * s.step_ms, row);
    if (i % 1000 == 999) {
      count(true);
      scan.forget_resolved(INT64_MAX);
    }
  }
  count(false);
  out.days = double(steps) * double(s.step_ms) / 86400e3;
  return out;
}

}  // namespace lento::fleet
