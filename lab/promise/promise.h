// A promise of a detector beside what was observed on draws that no threshold was made from: the form that
// the audits of all scales share.
#pragma once

#include <string>
#include <vector>

#include "finding/finding.h"

namespace lento::lab {

struct Promise {
  enum class Kind : uint8_t {
    AtMost,   // as false alarms
    AtLeast,  // as detections
    Equal     // as coverage
  };
  std::string what;
  Kind kind = Kind::AtMost;
  double promised = 0;
  uint64_t hits = 0;
  uint64_t trials = 0;

  // Whether the promise lies inside the exact 95 % interval of what was observed, or is exceeded on its good
  // side. Nothing observed breaks nothing.
  bool kept() const;
};

// Returns the promises as a table, with the exact 95 % intervals of what was observed.
finding::Diagnosis
promise_table(const std::vector<Promise>& promises, const std::string& scale, uint64_t seed);

}  // namespace lento::lab
