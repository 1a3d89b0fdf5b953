// Searches the best layouts of a model over a number of devices: every split into tensor, pipeline and
// expert parallelism, sharding, micro batch and recomputation that divides the model and fits in memory.
// Layouts are ordered by the tokens per second that the stack is expected to reach.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "predict/expect/expectation.h"

namespace lento::predict {

struct Layout {
  std::string parallel;  // value for --parallel: "tp=8,dp=128,zero=1"
  std::string besides;   // choices that --parallel does not cover: "micro batch 2, recompute full"
  Question question;
  double seconds = 0;  // expected time of an iteration or of the load
  int64_t split = 0;   // equal for layouts that differ in sharding, chunks, micro batch or recomputation
};

struct LayoutSearch {
  size_t tried = 0;
  size_t fitting = 0;
  std::vector<Layout> best;  // the fastest first
};

// Searches the layouts of the run in `question` over `devices`, ignoring the layout that it states. Throws
// base::Error when the question is neither a training run nor a load of requests.
LayoutSearch best_layouts(const System& system, const Question& question, int devices, size_t most = 10);

// Returns the smallest number of devices, `least` times a power of two, on which a layout fits in memory, or
// 0 when none does on up to 4096.
int fewest_devices_that_fit(const System& system, const Question& question, int least);

// Parses "all" (the devices of one node) or "all=1024" (that many devices). Returns 0 when `parallel` is a
// layout instead.
int devices_of_all(const std::string& parallel, const System& system);

// Adds the table of layouts to an answer about the best of them.
void state_layouts(finding::Diagnosis& d, const LayoutSearch& search, const System& system);

}  // namespace lento::predict
