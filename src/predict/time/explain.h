// A prediction as a Diagnosis: the answer, where the time goes, what bounds it, and what it is sensitive to.
#pragma once

#include "finding/finding.h"
#include "predict/time/question.h"

namespace lento::predict {

// Throws base::Error when the workload cannot run on the system at all.
finding::Diagnosis explain(const System& system, const Question& question);

}  // namespace lento::predict
