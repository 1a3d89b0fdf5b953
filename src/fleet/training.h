// Learns the models of the Minder method from a period without (many) faults.
#pragma once

#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "finding/finding.h"
#include "fleet/minder/lstm_vae.h"
#include "fleet/source.h"

namespace lento::fleet {

struct FleetTrainingOptions {
  FleetSource source;
  TrainOptions train;
  double candidate_rate = 0.001;  // share of fault-free windows that may score above the threshold
  unsigned threads = 1;
  bool strict = false;
};

struct FleetTraining {
  FleetModel model;  // a model for each metric, with its threshold
  base::ReadReport report;
  std::vector<finding::Input> inputs;
};

// Trains a model for each metric. Throws base::Error when the source cannot be read. The same seed gives the
// same model for any number of threads.
FleetTraining train_fleet(const FleetTrainingOptions& options, const base::Progress& progress = {});

// Returns the models as a result that can be shown.
finding::Diagnosis describe(const FleetTraining& training, const std::string& written_to, uint64_t seed);

// Returns the score that the share `rate` of the windows of a fault-free period exceeds, at most 0.8 of the
// largest score that is possible with this number of machines.
double similarity_threshold(const MetricSeries& series, const FleetModel& model, size_t metric, double rate);

}  // namespace lento::fleet
