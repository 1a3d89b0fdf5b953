// Runs a watch over days without waiting: a simulated job in which ten machines fail one after another for
// half an hour. Counts what it names rightly and falsely, and measures memory and the share of a core.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::fleet {

struct SoakOptions {
  uint64_t seed = 1;
  size_t machines = 64;
  int metrics = 1;
  double step_s = 1;
  double interval_s = 5;  // between two pulls
  double hours = 24;
  int faults = 10;  // slow by 15 % and silent in turn
};

struct SoakResult {
  int planted = 0;
  int named = 0;       // within 240 s and four scrapes
  int false_ones = 0;  // alerts about a machine that has no fault then
  std::vector<double> delays_s;
  double early_mb = 0;  // resident after a twelfth of the time
  double late_mb = 0;   // at the end
  double cpu_s = 0;     // of the watch, without the making of samples
  double job_s = 0;
  std::vector<std::string> story;
};
SoakResult run_soak(const SoakOptions& options, const base::Progress& progress);

finding::Diagnosis measure_soak(const SoakOptions& options, const base::Progress& progress);

}  // namespace lento::fleet
