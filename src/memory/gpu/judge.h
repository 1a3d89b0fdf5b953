// Judges the memory requests of GPU kernels: bank conflicts, uncoalesced accesses, and slices of the cache or
// channels of the memory with more than their share of the load.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::memory {

// Reads a table of counters or a text of accesses and judges it. Throws base::Error when it is neither. The
// outcome is "cannot judge" when no metric shows these causes, or whether they cost time.
finding::Diagnosis diagnose_gpu_memory(const std::string& path, bool strict);

}  // namespace lento::memory
