// Combines the verdicts of several recordings of one program.
#pragma once

#include <vector>

#include "finding/finding.h"

namespace lento::memory {

// Keeps the findings of more than half of the recordings, each with the number of recordings that have it,
// and lists the others as notes. Findings are the same when cause and names agree, wherever their data lay.
// Without such findings the outcome is that of most recordings, and "cannot judge" on a tie. `each` must not
// be empty.
finding::Diagnosis combine(std::vector<finding::Diagnosis> each);

}  // namespace lento::memory
