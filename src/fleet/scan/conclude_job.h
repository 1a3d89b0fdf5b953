// Findings on a change of the whole job.
#pragma once

#include <string>

#include "finding/finding.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {

// Adds the finding or the notes on a change of the job, which counts when it lasts to the end of the record
// and for eight of the shortest windows. Returns what changed when nobody can say whether it is slower, or an
// empty string.
std::string add_job(const View& view, const ScanOptions& options, finding::Diagnosis& d);

}  // namespace lento::fleet
