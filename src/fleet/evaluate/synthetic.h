// Precision, recall and F1 of the detectors on simulated jobs with known truth.
//
// Counting: one verdict a job. Right machine: true positive. Another machine in a faulty job: false positive
// and false negative. None: false negative. Any verdict in a fault-free hour: false positive.
// Every method other than the default mode gets its threshold in the same way: the largest that still lets
// `false_hours` of fault-free training hours raise a verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "fleet/detect/lstm_vae.h"
#include "fleet/simulate/simulate.h"

namespace lento::fleet {

struct SyntheticOptions {
  std::string preset = "production";
  size_t faults = 1000, hours = 1000;
  size_t max_machines = 0;  // 0: the preset's sizes; else all jobs are drawn up to this size
  size_t stride = 8;        // seconds between windows of the paper's method
  double false_hours = 0.05;
  unsigned threads = 0;
  uint64_t seed = 1;
};

finding::Diagnosis evaluate_synthetic(const SyntheticOptions& options, const base::Progress& progress);

}  // namespace lento::fleet
