// The best ways to lay a model over so many devices: every split of tensor, pipeline and expert parallelism,
// sharding, micro batch and recomputation that divides the model and fits the memory, by the tokens a second
// that the stack is expected to reach.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"
#include "predict/expect/expectation.h"

namespace lento::predict {

struct Layout {
  std::string parallel;  // as --parallel reads it, with what belongs to it: "tp=8,dp=128,zero=1"
  std::string besides;   // "micro batch 2, recompute full"
  Question question;
  double seconds = 0;  // as the stack leads to expect
};

struct LayoutSearch {
  size_t tried = 0;
  size_t fitting = 0;
  std::vector<Layout> best;  // the fastest first
};

// Lays the run of `question` over `devices`; its own layout is not read. Throws base::Error when it is
// neither a training run nor a load of requests.
LayoutSearch best_layouts(const System& system, const Question& question, int devices, size_t most = 10);

// "all" or "all=1024": the devices it asks for, of which "all" means one node. 0: it is a layout.
int devices_of_all(const std::string& parallel, const System& system);

// Adds the table of layouts to an answer about the best of them.
void state_layouts(finding::Diagnosis& d, const LayoutSearch& search, const System& system);

}  // namespace lento::predict
