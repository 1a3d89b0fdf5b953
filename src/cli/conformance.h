// Programs that end by a word store to the symbol `tohost`: 1 pass, (n << 1) | 1 test n failed.
#pragma once

#include <optional>

#include "cli/context.h"
#include "riscv/machine.h"

namespace lento::cli {

// Loads and runs `elf` (named `path` in errors) for at most `limit` instructions; the word stored, or nothing
// when the user asked to stop. base::Error: no tohost, a trap without a handler, the limit.
std::optional<uint32_t> run_to_tohost(riscv::Machine& machine, const riscv::ElfImage& elf,
                                      const std::string& path, uint64_t limit, Context& context);

}  // namespace lento::cli
