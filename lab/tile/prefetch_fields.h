// Folding, hashing and packing of lines in the soft-logic prefetcher, as in rtl/soft/prefetch_types.svh.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lento::tile {

inline constexpr uint32_t kLineMask = 0x3ffffff;
inline constexpr uint32_t kEpoch = 0xff;
inline constexpr uint32_t kHalves = 0x1fff;
inline constexpr uint32_t kLongestGap = 15;
inline constexpr uint32_t kFresh = 8;
// Regions of the scratchpad in words: payloads, sizes with epochs (4 in a word), origins of cached lines (4
// in a word).
inline constexpr uint32_t kPayloads = 0;
inline constexpr uint32_t kSizes = 2048;
inline constexpr uint32_t kOrigins = 2560;
// Address bits of a destination by format, which is how many destinations share an entry.
inline constexpr uint32_t kBits[] = {26, 26, 26, 18, 13, 10, 8};

// Keeps the 20 low bits, so that neighbours stay neighbours, and folds the 38 above to 6.
inline uint32_t fold(uint64_t line) {
  uint64_t high = 0;
  for (uint32_t bit = 20; bit < 58; bit += 6)
    high ^= line >> bit;
  return uint32_t((high & 0x3f) << 20 | (line & 0xfffff));
}
// Returns the key of a line in the shadow cache: 11 bits of tag and 6 of the set.
inline uint32_t shadow_of(uint32_t line) {
  return ((line >> 6 ^ line >> 17) & 0x7ff) << 6 | (line & 63);
}
inline uint32_t shadow_set(uint32_t line) {
  return line & 63;
}
inline uint32_t mix(uint32_t line) {
  return line ^ line >> 2 ^ line >> 5;
}
inline uint32_t table_set(uint32_t line) {
  return mix(line) & 127;
}
inline uint16_t table_tag(uint32_t line) {
  return uint16_t(mix(line) >> 7 & 0x1ff);
}

inline uint32_t format_for(uint32_t head, uint32_t line) {
  const uint32_t x = head ^ line;
  if (x >> 8 == 0)
    return 6;
  if (x >> 10 == 0)
    return 5;
  if (x >> 13 == 0)
    return 4;
  if (x >> 18 == 0)
    return 3;
  return 2;
}
// Destinations of an entry, the lowest slot first. The format is their number, 1 to 6.
struct Payload {
  // 6 x 2 bits
  uint32_t format = 0;
  uint32_t confidence = 0;
  uint64_t address = 0;
};
// Packs a payload into a word: the format, addresses from the lowest bit up, confidences from the highest
// bit down.
inline uint64_t encode(const Payload& p) {
  uint64_t word = p.format | p.address << 3;
  for (uint32_t slot = 0; slot < p.format; ++slot)
    word |= uint64_t{p.confidence >> 2 * slot & 3u} << (62 - 2 * slot);
  return word;
}
inline Payload decode(uint64_t word) {
  Payload p;
  p.format = word & 7;
  p.address = word >> 3 & ((uint64_t{1} << p.format * kBits[p.format]) - 1);
  for (uint32_t slot = 0; slot < p.format; ++slot)
    p.confidence |= uint32_t(word >> (62 - 2 * slot) & 3) << 2 * slot;
  return p;
}
inline void shift(Payload& p) {
  p.confidence >>= 2;
  p.address >>= kBits[p.format];
}
// Returns the destination in the lowest slot.
inline uint32_t widen(uint32_t head, const Payload& p) {
  const uint32_t low = (1u << kBits[p.format]) - 1;
  return (head & ~low) | (uint32_t(p.address) & low);
}

template <class Row>
int find_way(const Row& row, uint32_t line) {
  for (int way = 0; way < 8; ++way) {
    if (row[way].tag == shadow_of(line) >> 6)
      return way;
  }
  return -1;
}
template <class Row>
int find_entry(const Row& row, uint32_t line) {
  for (int way = 0; way < 16; ++way) {
    if (row.tag[way] == table_tag(line))
      return int(table_set(line) * 16) + way;
  }
  return -1;
}
// Makes `way` the one used last.
template <class Row>
void renew(Row& row, int way) {
  const uint8_t rank = row[way].rank;
  for (auto& other : row)
    other.rank = uint8_t(other.rank + (other.rank < rank));
  row[way].rank = 0;
}

// Returns the stall within the cycles from a visit to the next: DRAM, LLC, L2 or none.
inline uint32_t stall_in(uint32_t gap) {
  for (const uint32_t stall : {200u, 35u, 15u}) {
    if (gap > stall)
      return stall;
  }
  return 0;
}

inline uint32_t lane_of(uint64_t word, uint32_t index) {
  return uint16_t(word >> 16 * (index & 3));
}

}  // namespace lento::tile
