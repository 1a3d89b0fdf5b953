#include "cli/conformance.h"

#include <cstdio>

namespace lento::cli {
namespace {

// Without a handler (mtvec 0) a trap leads to code at 0, or to the same fault at 0 again and again.
bool fell_into_trap(const riscv::Hart& hart, bool code_at_0) {
  if (hart.mtvec != 0 || (hart.mepc == 0 && hart.mcause == 0)) return false;
  return code_at_0 || (hart.pc == 0 && hart.mepc == 0);
}

[[noreturn]] void report_trap(const riscv::Hart& hart, const std::string& path) {
  char text[96];
  std::snprintf(text, sizeof text, "trap: cause %u at pc 0x%x, value 0x%x", hart.mcause, hart.mepc,
                hart.mtval);
  throw base::Error({path}, text, "the program has no trap handler (mtvec is 0)");
}

}  // namespace

std::optional<uint32_t> run_to_tohost(riscv::Machine& machine, const riscv::ElfImage& elf,
                                      const std::string& path, uint64_t limit, Context& context) {
  if (!elf.find("tohost"))
    throw base::Error({path}, "the program has no symbol 'tohost'",
                      "it ends by storing a word there: 1 pass, (n << 1) | 1 test n failed; do not strip it");
  machine.load(elf);
  const bool code_at_0 = machine.memory().page(0) != nullptr;
  const base::Progress progress = context.progress();
  constexpr uint64_t kSlice = 1 << 24;
  for (uint64_t done = 0; done < limit && !machine.tohost(); done += kSlice) {
    progress("instructions", static_cast<double>(done), 0);
    if (progress.stopped()) return std::nullopt;
    machine.run(std::min(kSlice, limit - done));
    if (fell_into_trap(machine.hart(), code_at_0)) report_trap(machine.hart(), path);
  }
  if (!machine.tohost())
    throw base::Error({path}, "no store to tohost within " + std::to_string(limit) + " instructions");
  return machine.tohost();
}

}  // namespace lento::cli
