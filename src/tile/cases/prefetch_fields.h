// How the prefetcher in the soft logic folds, hashes and packs lines, as rtl/soft/prefetch_types.svh does.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lento::tile {

inline constexpr uint32_t kLineMask = 0xfffffff, kEpoch = 0xff, kHalves = 0x1fff, kLongestGap = 63,
                          kFresh = 24;
// Words of the scratchpad: payloads, sizes with epochs (4 a word), origins of cached lines (4 a word).
inline constexpr uint32_t kPayloads = 0, kSizes = 2048, kOrigins = 2560;
// By format: how many destinations, and the address bits of each.
inline constexpr uint32_t kSlots[] = {1, 2, 3, 4, 6}, kStride[] = {48, 24, 16, 12, 8},
                          kBits[] = {28, 24, 16, 12, 8};

// 22 low bits as they are, so that neighbours stay neighbours; the 36 above folded to 6.
inline uint32_t fold(uint64_t line) {
  uint64_t high = 0;
  for (uint32_t bit = 22; bit < 58; bit += 6) high ^= line >> bit;
  return static_cast<uint32_t>((high & 0x3f) << 22 | (line & 0x3fffff));
}
inline uint32_t shadow_set(uint32_t line) { return line & 63; }
inline uint16_t shadow_tag(uint32_t line) { return static_cast<uint16_t>((line >> 6 ^ line >> 17) & 0x7ff); }
inline uint32_t mix(uint32_t line) { return line ^ line >> 2 ^ line >> 5; }
inline uint32_t table_set(uint32_t line) { return mix(line) & 127; }
inline uint16_t table_tag(uint32_t line) { return static_cast<uint16_t>(mix(line) >> 7 & 0x1ff); }

inline uint32_t format_for(uint32_t head, uint32_t line) {
  const uint32_t x = head ^ line;
  if (x >> 8 == 0) return 4;
  if (x >> 12 == 0) return 3;
  if (x >> 16 == 0) return 2;
  return x >> 24 == 0;
}
// The destination in the lowest slot.
inline uint32_t widen(uint32_t head, uint64_t address, uint32_t format) {
  const uint32_t low = (uint32_t{1} << kBits[format]) - 1;
  return ((head & ~low) | (static_cast<uint32_t>(address) & low)) & kLineMask;
}

template <class Row>
int find_way(const Row& row, uint32_t line) {
  for (int way = 0; way < 8; ++way) {
    if (row[way].valid && row[way].tag == shadow_tag(line)) return way;
  }
  return -1;
}
template <class Row>
int find_entry(const Row& row, uint32_t line) {
  for (int way = 0; way < 16; ++way) {
    if (row.tag[way] == table_tag(line)) return static_cast<int>(table_set(line) * 16) + way;
  }
  return -1;
}
// Makes `way` the one used last.
template <class Row>
void renew(Row& row, int way) {
  const uint8_t rank = row[way].rank;
  for (auto& other : row) other.rank = static_cast<uint8_t>(other.rank + (other.rank < rank));
  row[way].rank = 0;
}

inline uint8_t without_stall(uint32_t gap) {
  for (const uint32_t stall : {200u, 35u, 15u}) {
    if (gap > stall) {
      gap -= stall;
      break;
    }
  }
  return static_cast<uint8_t>(std::min(gap, kLongestGap));
}

inline uint32_t lane_of(uint64_t word, uint32_t index) {
  return static_cast<uint16_t>(word >> 16 * (index & 3));
}

}  // namespace lento::tile
