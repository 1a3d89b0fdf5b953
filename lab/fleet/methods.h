// The paper's method, its ablations, the Mahalanobis baseline and simple rules, judged together on one job:
// each window is embedded once and every method takes its scores from there.
//
// Deviations from a separate run of each: windows every 12 s instead of every second (20 in a row make 240
// s), and in fleets of over 64 machines distance sums over the same 32 random machines instead of all (an
// unbiased estimate). INT is one network fed with the mean of the normalised metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/minder/lstm_vae.h"
#include "fleet/minder/windows.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

// The seven metrics of the paper in its order of priority, and three more.
const std::vector<std::string>& paper_metrics();
const std::vector<std::string>& more_metrics();

inline constexpr size_t kWindowStride = 12;  // seconds

struct Method {
  std::string name;
  std::vector<size_t> lists;  // of candidates, in order of priority
  size_t in_a_row = 20;       // windows that must name the same machine
  bool capped = true;         // its score cannot exceed (M - 1) / sqrt(M)
};
const std::vector<Method>& methods();

struct Models {
  FleetModel metrics;      // the seven, then the three more
  MetricModel integrated;  // INT's one network
};

// Candidates[list][window]. Method::lists holds the lists of each method.
using Candidates = std::vector<std::vector<Candidate>>;
Candidates scan(const MetricSeries& series, const Models& models);

// Thresholds are tried on a fixed grid, so that one pass serves calibration and judgement.
inline constexpr size_t kThresholds = 64;
double threshold_at(const Method& method, size_t i);  // rises with i

// Returns the machine that the method names first at the i-th threshold (never above 0.8 of what a score can
// be), or -1. When several metrics name one in the same window, the first in order of priority counts.
int verdict_of(const Candidates& candidates, const Method& method, size_t i, size_t machines);

}  // namespace lento::fleet
