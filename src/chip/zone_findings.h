// Words the verdict on the zones and computations of cores (chip/zones).
#pragma once

#include "chip/read/transfer_record.h"
#include "finding/finding.h"

namespace lento::chip {

// Returns whether the records hold no waits, so that only the zones of cores can be compared.
bool only_zones(const TransferTrace& trace);

// Writes the verdict on a run with zones alone. `earlier` is a run of the same program, or nullptr.
void conclude_zones(finding::Diagnosis& d, const TransferTrace& trace, const TransferTrace* earlier);

// Adds the verdict on the computations of a run whose waits were judged. Where there is none, or zones, which
// hold waits, were not judged, a note says so.
void add_computations(finding::Diagnosis& d, const TransferTrace& trace, const TransferTrace* earlier);

}  // namespace lento::chip
