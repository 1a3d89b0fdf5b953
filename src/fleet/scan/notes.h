// Sentences beside the findings of a scan: notes, and the smallest deviation that would have been found.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

// One scan and the series that it judged.
struct View {
  const MetricSeries& series;
  const Scan& scan;
};

inline double seconds(int64_t ms) {
  return double(ms) / 1000;
}

// The machines of an episode, sorted.
std::vector<size_t> machines_of(const Episode& episode);

// A metric in which machines without a finding differ from their peers from the first row to the last. A
// record cannot distinguish a role from a fault that is older than the record.
struct StandingDifference {
  size_t metric = 0;
  bool higher = false;
  std::vector<size_t> machines;  // sorted within each group
  double strength = 0;           // of the largest, in changes that would be named
};
std::vector<StandingDifference> standing_differences(const View& view);

// Codes that were not averaged, unequal responses to a change of the job, differences that are there all
// along.
void add_notes(const View& view, const std::vector<StandingDifference>& standing, finding::Diagnosis& d);

// Returns a text such as "power_w 4.1 % for 400 s, node_procs_running 0.3 of the ranks for 960 s", empty
// when nothing was judged.
std::string reach_text(const MetricSeries& series, const Scan& scan);

// The names of the first ten, and how many more.
std::string list_of(const MetricSeries& series, const std::vector<size_t>& machines);

}  // namespace lento::fleet
