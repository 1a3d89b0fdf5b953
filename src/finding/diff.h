// Compares two diagnoses of the same kind of run.
#pragma once

#include "finding/finding.h"

namespace lento::finding {

// Returns a diagnosis whose findings are those of `after` that are new (by subject and category) or slower
// than in `before` by more than a tenth. Its tables list findings gone, kept and new, and every headline fact
// with both values, and with their ratio where a fact starts with a number. Throws base::Error when the two
// are of different scales, which share no subjects.
Diagnosis compare(const Diagnosis& before, const Diagnosis& after);

}  // namespace lento::finding
