// Writes a prediction as a Diagnosis: the time, its parts, the bound of each, and the sensitivity to each
// input.
#pragma once

#include "finding/finding.h"
#include "predict/time/question.h"

namespace lento::predict {

// Throws base::Error when the workload cannot run on the system at all.
finding::Diagnosis explain(const System& system, const Question& question);

}  // namespace lento::predict
