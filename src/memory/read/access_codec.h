// Packs the access records of one chunk into columns of bytes, and unpacks them.
//
// Programs repeat themselves. Two tables predict the next record of a CPU from its last one. They are emptied
// at every chunk, so that a chunk can be read alone:
//   successor[hash(pc and type of the last two records)] -> pc, type, size, flags, latency, gap
//   data[pc] -> last address and stride
// A record costs one token byte whose bits name the fields that were predicted wrongly. Only those fields
// follow, in their column. All CPUs of the chunk share the tables because they run the same code. The tokens
// of a loop are all zero, and zstd (applied by the file layer) shrinks them to almost nothing.
//   gap = cycle - (previous cycle + previous latency): constant for an instruction, however long it waited.
// Related: VPC compression (Burtscher 2004). Cost: O(1) per record, two table look-ups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/read/access_record.h"

namespace lento::memory {

// Requires `records` in trace order (cycle, cpu, order of the CPU).
std::string encode_accesses(std::span<const AccessRecord> records);

// Appends exactly `events` records in trace order to `out`. Returns false, and leaves `out` as it was, when
// the bytes are damaged. Memory: 100 bytes per event.
bool decode_accesses(std::string_view bytes, uint64_t events, std::vector<AccessRecord>& out);

// Sorts by (cycle, cpu) and keeps the order of equals. Linear when cycles are dense.
void sort_by_cycle(std::vector<AccessRecord>& records);

}  // namespace lento::memory
