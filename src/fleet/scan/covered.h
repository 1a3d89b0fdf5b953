// Describes the outcome, and in one line the data on which it is based.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {

struct Covered {
  double period_s = 0;
  double step_s = 0;
  size_t machines = 0;
  std::vector<std::string> metrics;
  double share = 0;      // share of the samples that are present
  bool by_step = false;  // the period counts steps of the program
};
// Returns "57 min in steps of 2 s, 64 machines, 1 metric (power_w), 98.7 % of the samples there".
std::string text_of(const Covered& covered);

// Returns text_of() for a series. `step_ms` is the distance of the judged rows, of which each row of the
// series may be a mean of several.
std::string covered_text(const MetricSeries& series, int64_t step_ms);

// Writes the outcome: findings, an all-clear with the examined period, or why nothing could be judged.
void conclude_outcome(const View& v, const ScanOptions& o, finding::Diagnosis& d);

}  // namespace lento::fleet
