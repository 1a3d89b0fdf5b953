// The result of one method on one run, written as a line of JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace lento::chip {

// Components are names. A result without truth is one of a clean run. `name` is that of the case.
struct RunResult {
  std::string workload;
  std::string method;
  std::string recorder;
  std::string probes;
  std::string mismatch;
  std::string name;
  uint64_t seed = 1;
  bool training = false;
  bool applicable = true;  // all components of the case are on the chip
  uint64_t hits = 0;       // fewest events that start inside a fault of the case, noise off
  double factor = 1;       // of the first fault
  bool unjudged = false;   // the answer was "cannot judge": right nowhere, counted apart too
  std::vector<std::string> truth;
  std::vector<std::string> reported;
  std::vector<std::string> ranked;
  std::vector<double> scores;             // of `ranked`
  double overlap = 0;                     // in time, of the true components; 0: not named
  double whole_overlap = 0;               // the same of the whole run as an answer
  std::map<std::string, double> numbers;  // memory, run time, iterations

  // Returns the label of the result's row in tables: the method, with recorder and probes where the campaign
  // varies them.
  std::string variant() const;
  double number(const std::string& name) const;  // 0 when it has none of that name
};

inline constexpr double kRawRecordBytes = 40;  // ProbeRecord
double raw_bytes(const RunResult& result);     // of all records its probes wrote

base::Json to_json(const RunResult& result);
RunResult run_result_from_json(const base::Json& json, const base::Location& where);

}  // namespace lento::chip
