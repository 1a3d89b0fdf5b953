// Runs programs that end by a word store to the symbol `tohost`: 1 means pass, (n << 1) | 1 means that test n
// failed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "riscv/machine.h"

namespace lento::riscv {

// Loads and runs `elf` (named `path` in errors) for at most `limit` instructions. Returns the stored word, or
// nothing after an interrupt by the user. Throws base::Error when there is no tohost, on a trap without a
// handler, and at the limit.
std::optional<uint32_t> run_to_tohost(
    riscv::Machine& machine,
    const riscv::ElfImage& elf,
    const std::string& path,
    uint64_t limit,
    const base::Progress& progress);

struct TohostOptions {
  std::string elf;        // file
  std::string signature;  // where the words from begin_signature to end_signature go; "" for nowhere
  uint64_t limit = 10'000'000'000;  // instructions
};
struct TohostRun {
  std::optional<uint32_t> word;  // stored to tohost; nothing when interrupted
  uint64_t instructions = 0;
  std::vector<std::string> warnings;
};
// Runs a plain RV32I(M) program in flat memory.
TohostRun run_plain_program(const TohostOptions& options, const base::Progress& progress);

}  // namespace lento::riscv
