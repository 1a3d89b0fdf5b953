// The level of slowness that the recorder stores: log2 of cycles per unit of work, in 1/256 octave, by
// integer arithmetic only, so that hardware, the RISC-V recorder and this code agree to the bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "chip/read/probe_record.h"

namespace lento::chip {

inline constexpr int kLevelsPerOctave = 256;
inline constexpr int kMaxLevel = 4095;  // 12 bits; level 0 means "no value"

namespace detail {
// log2(1 + i/256) in 1/256 octave: 256 bytes of read-only memory.
constexpr std::array<uint8_t, 256> make_log_table() {
  std::array<uint8_t, 256> table{};
  // Integer log by repeated squaring of a 32-bit fixed-point mantissa: constexpr and the same everywhere.
  for (uint32_t i = 0; i < 256; ++i) {
    uint64_t x = (uint64_t{256} + i) << 23;  // 1.31 fixed point
    uint32_t bits = 0;
    for (int b = 0; b < 8; ++b) {
      x = (x * x) >> 31;
      bits <<= 1;
      if (x >> 32) {
        bits |= 1;
        x >>= 1;
      }
    }
    table[i] = uint8_t(bits);
  }
  return table;
}
inline constexpr std::array<uint8_t, 256> kLogTable = make_log_table();
}  // namespace detail

// Returns log2(x) in 1/256 octave for x >= 1. The result is never too high, and too low by less than 1/100
// octave.
constexpr int log2_fixed(uint64_t x) {
  const int top = 63 - std::countl_zero(x | 1);
  const uint64_t mantissa = top >= 8 ? x >> (top - 8) : x << (8 - top);
  return top * kLevelsPerOctave + detail::kLogTable[mantissa & 255];
}

// Returns the offset, in 1/256 octave, that brings the levels of a kind of record into 12 bits: operations
// take far less than one cycle each, transfers about one cycle per byte.
constexpr int level_offset(ProbeKind kind) {
  return (kind == chip::ProbeKind::Compute ? 14 : 7) * kLevelsPerOctave;
}

constexpr int level_of(ProbeKind kind, uint64_t cycles, uint64_t work) {
  const int raw = log2_fixed(std::max<uint64_t>(cycles, 1)) - log2_fixed(std::max<uint64_t>(work, 1));
  return std::clamp(raw + level_offset(kind), 1, kMaxLevel);
}

// Returns the level of operations at this rate, computed over 2^20 cycles so that rounding to whole
// operations does not matter.
constexpr int compute_level(double ops_per_cycle) {
  constexpr uint64_t kCycles = 1 << 20;
  return level_of(chip::ProbeKind::Compute, kCycles, uint64_t(double(kCycles) * ops_per_cycle));
}

// Returns the cycles per unit of work of a level.
inline double cycles_per_work(ProbeKind kind, double level) {
  return std::exp2((level - level_offset(kind)) / kLevelsPerOctave);
}

}  // namespace lento::chip
