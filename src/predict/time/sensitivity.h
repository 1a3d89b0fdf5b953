// What the predicted time depends on: every number of the data sheet, of its constants and of the workload.
#pragma once

#include <string>
#include <vector>

#include "predict/time/question.h"

namespace lento::predict {

// By how many per cent the time changes for one per cent more of an input of the system (measured over 5 %).
struct Elasticity {
  std::string input;
  double value = 0;
};
std::vector<Elasticity> elasticities(const System& system, const Question& question);

// The time with one size of the workload doubled, over the time as asked; sizes that cannot be doubled alone
// (a number of heads that no longer divides) are left out.
struct Doubling {
  std::string input;
  double ratio = 1;
};
std::vector<Doubling> doublings(const System& system, const Question& question);

}  // namespace lento::predict
