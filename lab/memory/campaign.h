// The contention detector on planted causes and healthy twins, counted.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"
#include "lab/memory/planted.h"

namespace lento::lab {

struct PlantedTrial {
  Plant plant = Plant::FalseSharing;
  uint64_t seed = 0;
  int cpus = 0;
  int line_bytes = 0;
  int period = 1;
  bool by_culprit = false;
  // of the first finding
  std::string outcome;
  std::string category;
  std::string subject;
  bool cause_right = false;
  bool variable_right = false;
  std::string twin_outcome;
  std::string twin_category;
  int twin_findings = 0;
};

PlantedTrial try_planted(Plant plant, uint64_t seed);

// One row per trial, with a header.
std::string trials_csv(const std::vector<PlantedTrial>& trials);
// A table of hits by cause.
finding::Diagnosis summarize_planted(const std::vector<PlantedTrial>& trials);

}  // namespace lento::lab
