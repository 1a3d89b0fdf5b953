// What changed between two diagnoses of the same kind of run.
#pragma once

#include "finding/finding.h"

namespace lento::finding {

// A diagnosis whose findings are those of `after` that `before` lacks (same subject and category) or that
// grew worse by more than a tenth; its tables list findings gone, kept and new, and every headline fact with
// both values. Facts that start with a number also give their ratio. Throws base::Error when the two are of
// different scales: nothing of a chip's diagnosis stands in one of memory.
Diagnosis compare(const Diagnosis& before, const Diagnosis& after);

}  // namespace lento::finding
