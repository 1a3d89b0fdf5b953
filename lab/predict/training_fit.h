// Software of training, fitted to published runs and judged on models that were not fitted.
//
// A stack has at most six scalars, none by shape or model. Fitting goes from the coarse to the fine: a
// software on all chips, on one silicon, one of its releases there. The distance of each finer level from
// the coarser one is penalised.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "lab/predict/training_runs.h"
#include "lab/predict/validate.h"

namespace lento::predict {

// Returns the part of each run's model. The models of one software are divided into two parts by their size,
// or each is a part of its own where there are at most three.
std::vector<int> parts_by_model(const std::vector<PublishedRun>& runs);

// Stacks by silicon and framework.
using StackTable = std::map<std::pair<std::string, std::string>, Stack>;

// Returns stacks fitted to the runs of all parts but `part`. With -1 all runs are used.
StackTable fit_stacks(const std::vector<PublishedRun>& runs, int part, const base::Progress& progress = {});

struct JudgedRun {
  const PublishedRun* run = nullptr;
  TrainingTime time;
  double flat_s = 0;  // of one share of the peak for this silicon and software, fitted to the other parts
};
// Predicts each run with stacks fitted to the models of other parts.
std::vector<JudgedRun> judge_training(
    const std::vector<PublishedRun>& runs,
    const base::Progress& progress = {});

struct TrainingBar {
  std::string what;
  size_t rows = 0;
  double mean = 0;
  double median = 0;
  double bias = 0;
  double flat_mean = 0;  // of one share of the peak
  double limit = 0;      // of the mean; 0: none was set
  bool reached() const {
    return limit == 0 || mean <= limit;
  }
};
std::vector<TrainingBar> training_bars(const std::vector<JudgedRun>& judged);

// Compares peaks that tables state, and counts finished runs that are predicted not to fit.
std::vector<TrainingBar> memory_bars(const std::vector<JudgedRun>& judged);

// Returns errors as answers state them.
std::vector<SeenError> seen_errors(const std::vector<JudgedRun>& judged);

}  // namespace lento::predict
