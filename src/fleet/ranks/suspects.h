// Concludes a diagnosis that rests on durations of collectives or on their means alone, which give suspects
// and no certain culprit.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::fleet {

struct NoSuspect {
  std::string reason;  // why no rank is a suspect
  std::string remedy;  // what to record for a verdict
};

// Sorts the suspects and sets the verdict to the first. Without a suspect the outcome is CannotJudge.
void end_suspicion(finding::Diagnosis& d, const NoSuspect& none, const std::string& covered);

}  // namespace lento::fleet
