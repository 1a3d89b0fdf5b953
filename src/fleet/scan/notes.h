// Writes the texts that accompany the findings of a scan: notes, and the smallest change that would have been
// found.
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

// Returns the machines of an episode, sorted.
std::vector<size_t> machines_of(const Episode& episode);

// A metric in which machines without a finding differ from their peers in the whole record. The difference
// may be another role or a fault that is older than the record, which a record cannot distinguish.
struct StandingDifference {
  size_t metric = 0;
  bool higher = false;
  std::vector<size_t> machines;  // sorted within each group
  double strength = 0;           // largest difference, in multiples of the detectable change
};
std::vector<StandingDifference> standing_differences(const View& view);

// Adds notes on codes that were not averaged, on unequal responses to a change of the job, and on differences
// in the whole record.
void add_notes(const View& view, const std::vector<StandingDifference>& standing, finding::Diagnosis& d);

// Returns a text such as "power_w 4.1 % for 400 s, node_procs_running 0.3 of the ranks for 960 s", empty
// when nothing was judged.
std::string reach_text(const MetricSeries& series, const Scan& scan);

// Returns ten names of machines, shorter ones first, and the number of the others.
std::string list_of(const MetricSeries& series, const std::vector<size_t>& machines);

}  // namespace lento::fleet
