// What the chip's model promises, beside what it does on draws that no threshold was made from.
//
// False alarms: healthy draws whose best part passes the threshold. Detectable effects: parts planted with
// the factor that is said to be named with 95 %. Intervals: planted factors inside their 90 % interval.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipAuditOptions {
  std::string chip;
  std::string mapping;
  uint32_t inferences = 2;
  int healthy = 200;
  int detectable = 100;
  int intervals = 20;
  double false_alarms = 0.005;
  uint64_t seed = 1;
};

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

// Throws base::Error when chip and mapping are broken.
std::vector<Promise> audit_chip(const ChipAuditOptions& options, const base::Progress& progress = {});
finding::Diagnosis audit_table(const std::vector<Promise>& promises, const ChipAuditOptions& options);

}  // namespace lento::chip
