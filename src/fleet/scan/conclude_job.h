// Reports changes of the whole job.
#pragma once

#include <string>

#include "finding/finding.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {

// Adds the finding or the notes on a change of the job, if it lasts to the end of the record and for eight of
// the shortest windows. Returns a text of what changed when it is unknown whether that is slower, else "".
std::string add_job(const View& view, const ScanOptions& options, finding::Diagnosis& d);

}  // namespace lento::fleet
