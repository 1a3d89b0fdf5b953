// A job, every way to run it on a design, and the time of each.
//
// A job is CrossFlow's LSTM language model, timed by CrossFlow's own model (predict/crossflow), or the
// training of a transformer, timed by predict/time on the data sheet of the generated machine
// (data_sheet.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/search/strategy.h"
#include "predict/time/training/training.h"

namespace lento::predict {

// One model with its sizes, and the training of it. A search may compare several.
struct Job {
  std::string name;                     // name of the shape in the results
  LanguageModel language_model;         // used when `training` is empty
  std::optional<TrainingRun> training;  // a transformer; the search replaces its parallel degrees
};

// One way to run a job: the strategy of a language model, or a transformer with its parallel degrees.
struct Way {
  Strategy strategy;
  std::optional<TrainingRun> training;
};

struct JobRules {
  bool must_fit = true;      // a layout that exceeds the memory takes infinite time
  bool as_released = false;  // reproduces defects of the released tool (machine.h, language_model.h)
};

// Returns every way whose parallel degrees multiply to all nodes and divide the job's sizes. `data_only`
// restricts them to data parallelism. Without such a way the result is one way that takes infinite time, so
// it is never empty.
std::vector<Way>
all_ways(const CrossFlowConfig& design, const Job& job, int nodes, int package_dim, bool data_only);

// Returns `design` with the job's sizes and the way's parallelism written into its configuration.
CrossFlowConfig with_way(CrossFlowConfig design, const Job& job, const Way& way, int package_dim);

struct JobTime {
  double seconds = 0;  // of one iteration; +infinity when it cannot run
  double memory_bytes = 0;
  double memory_there = 0;
};
JobTime job_time(const CrossFlowConfig& with_way, const Way& way, const JobRules& rules);

// Times every way on one design. The machine of a transformer is derived once.
std::vector<JobTime> job_times(
    const CrossFlowConfig& design,
    const Job& job,
    const std::vector<Way>& ways,
    int package_dim,
    const JobRules& rules);

// Returns whether the way uses data parallelism alone.
bool is_data_parallel(const Way& way);

std::string to_string(const Way& way);

}  // namespace lento::predict
