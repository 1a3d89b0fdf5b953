// Implements the method of the Minder paper (NSDI'25), its ablations and the Mahalanobis baseline, as
// published.
//
// For each metric in order of priority and each window of 8 samples: normalise, embed every machine
// (reconstruction by the metric's LSTM-VAE), sum its distances to all others, take the standard score of the
// sums over machines. The machine with the largest score is the candidate if the score exceeds the
// threshold. The same candidate in every window for 240 s is the verdict, and no further metric is examined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/minder/kernel.h"
#include "fleet/minder/lstm_vae.h"
#include "fleet/minder/windows.h"
#include "fleet/read/metric_series.h"

namespace lento::fleet {

enum class Embedding {
  Reconstruction,
  Latent,
  Raw
};
enum class Fusion {
  PerMetric,    // Minder
  Concatenate,  // CON: one embedding of all metrics' embeddings side by side
  Integrate,    // INT: one model fed with the mean of the normalised metrics
  Mahalanobis,  // MD: moments of all metrics, PCA to 95 %, whitened
};

struct MinderOptions {
  Embedding embedding = Embedding::Reconstruction;
  Fusion fusion = Fusion::PerMetric;
  Distance distance = Distance::Euclid;
  bool continuity = true;
  double continuity_s = 240;
  double threshold = 0;  // least score of a candidate; 0: the threshold of each metric's model
  size_t stride = 1;     // samples between windows
  size_t pivots = 64;    // machines to which distances are summed first, to skip windows; 0: always to all
  unsigned threads = 1;
  std::vector<std::string> metrics;  // metrics to use; empty: all of the model
};

struct MinderVerdict {
  size_t machine = 0;
  std::string metric;
  size_t step = 0;   // time step at which the verdict was reached
  double score = 0;  // standard score of the last window
};

std::optional<MinderVerdict>
minder(const MetricSeries& series, const FleetModel& model, const MinderOptions& options);

// Returns the machine with the largest score in each window of one metric, without a first estimate from few
// machines, for calibration and ablations. When the options fuse all metrics, `metric` is ignored.
std::vector<Candidate> minder_candidates(
    const MetricSeries& series,
    const FleetModel& model,
    size_t metric,
    const MinderOptions& options);

// Returns the first window that ends `needed` windows in a row with the same candidate above `threshold`, or
// nullopt.
std::optional<size_t>
first_verdict(const std::vector<Candidate>& candidates, double threshold, size_t needed);

}  // namespace lento::fleet
