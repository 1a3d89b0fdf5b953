// One incident from the rows of many files: all judges, their findings joined by subject, causes before
// consequences, and one outcome.
//
//   findings      at least one part is named; a note lists open questions and files that would answer them
//   cannot judge  nothing is named and a question is open, or no row was of a kind that can be judged
//   healthy       nothing is named and no question is open; the verdict lists what was examined
#pragma once

#include "desk/incident/judge.h"
#include "desk/read/records.h"
#include "finding/finding.h"

namespace lento::desk {

finding::Diagnosis judge_incident(const Records& records, const JudgeOptions& options = {});

}  // namespace lento::desk
