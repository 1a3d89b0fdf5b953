// Compares measured runs with the speed that the given hardware should reach with the model that the file or
// the user names.
#pragma once

#include <cstdint>
#include <string>

#include "desk/incident/judge.h"

namespace lento::desk {

struct ExpectedOptions {
  std::string system;    // a shipped data sheet or a file; empty: no comparison
  std::string model;     // a usual name or a config.json; empty: as the file names it
  std::string parallel;  // "tp=4", "tp=8,pp=2,dp=4,zero=1"
  std::string precision = "bf16";
  std::string framework;  // empty: as the file names it
  int64_t batch = 0;      // training: samples in a step; 0: as the log states it
  int64_t sequence = 0;   // training: tokens in a sample; 0: as the log states it
};

// Returns the function that compares a measured speed. Throws base::Error when the system or precision is
// unknown.
decltype(JudgeOptions::compare) comparison(const ExpectedOptions& options);

}  // namespace lento::desk
