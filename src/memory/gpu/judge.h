// Judges what GPU kernels ask of memory: bank conflicts, accesses that are not coalesced, slices of the cache
// and channels of the memory that have more than their share.
#pragma once

#include <string>

#include "finding/finding.h"

namespace lento::memory {

// Reads a table of counters or a text of accesses and judges it. Throws base::Error when it is neither.
// "Cannot judge" where no metric says anything of these causes.
finding::Diagnosis diagnose_gpu_memory(const std::string& path, bool strict);

}  // namespace lento::memory
