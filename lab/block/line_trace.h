// Instruction-fetch line visits in the LFT1 format (docs/formats/lft.md). Each visit names a 64-byte line
// and how many instructions were fetched from it.
//
//   "LFT1" u64 instructions, u64 lines, u64 visits, lines x u64 line address (pc >> 6), visits x u32 line
//   index, visits x u8 instructions, all little-endian, usually inside xz
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "riscv/elf.h"

namespace lento::tile {

struct LineTrace {
  uint64_t instructions = 0;
  std::vector<uint64_t> lines;
  std::vector<uint32_t> visits;  // index into lines
  std::vector<uint8_t> counts;   // instructions of the visit
};

// Throws base::Error when lengths, indices or the instruction total do not agree.
LineTrace parse_line_trace(std::string_view bytes, const std::string& file);
LineTrace read_line_trace(const std::string& path);
std::string write_line_trace(const LineTrace& trace);

// Returns the visits of a program that runs alone on one hart, until it stores to `tohost` or has completed
// `max_instructions`.
LineTrace trace_lines(const riscv::ElfImage& program, uint64_t max_instructions);

}  // namespace lento::tile
