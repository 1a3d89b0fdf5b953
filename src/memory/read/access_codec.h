// Packs the access records of one chunk into columns of bytes, and back.
//
// Idea: programs repeat themselves. Two tables, emptied at every chunk so that chunks stand alone, predict
// the next record of a CPU from its last one:
//   successor[hash(pc and type of the last two records)] -> pc, type, size, flags, latency, gap
//   data[pc] -> last address and stride
// A record costs one token byte whose bits name the fields that were predicted wrongly; only those follow, in
// their column. The tables are shared by all CPUs of the chunk because they run the same code. Tokens of a
// loop are all zero, and zstd (applied by the file layer) shrinks them to almost nothing.
//   gap = cycle - (previous cycle + previous latency): constant for an instruction, whatever it waited.
// Related: VPC compression (Burtscher 2004). Cost: O(1) per record, two table look-ups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/read/access_record.h"

namespace lento::memory {

// `records` in trace order (cycle, cpu, own order).
std::string encode_accesses(std::span<const AccessRecord> records);

// Appends exactly `events` records in trace order to `out`; false when the bytes are damaged, `out` is then
// as before. Memory: 100 bytes per event.
bool decode_accesses(std::string_view bytes, uint64_t events, std::vector<AccessRecord>& out);

// Sorts by (cycle, cpu), keeping the order of equals. Linear when cycles are dense.
void sort_by_cycle(std::vector<AccessRecord>& records);

}  // namespace lento::memory
