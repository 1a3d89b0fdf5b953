// Measures how the predicted time depends on each number of the data sheet, of its constants and of the
// workload.
#pragma once

#include <string>
#include <vector>

#include "predict/time/question.h"

namespace lento::predict {

// The percentage by which the time changes when an input of the system grows by 1 % (measured over a change
// of 5 %).
struct Elasticity {
  std::string input;
  double value = 0;
};
std::vector<Elasticity> elasticities(const System& system, const Question& question);

// The time with one size of the workload doubled, over the original time. Sizes that cannot be doubled alone
// are left out (a number of heads that would no longer divide).
struct Doubling {
  std::string input;
  double ratio = 1;
};
std::vector<Doubling> doublings(const System& system, const Question& question);

}  // namespace lento::predict
