// Runs programs in the convention of the RISC-V conformance tests, which report their result by a store to
// `tohost`. The budget is spent in pieces, so that progress is shown, an interrupt by the user stops the run,
// and a program in a trap loop is found.
#include "riscv/tohost.h"

#include <cstdio>

#include "base/file.h"

namespace lento::riscv {
namespace {

using base::Error;

// Returns whether the program has trapped without a handler (mtvec 0), which leads to the code at 0 or to the
// same fault at 0 again and again.
bool fell_into_trap(const riscv::Hart& hart, bool code_at_0) {
  if (hart.mtvec != 0 || (hart.mepc == 0 && hart.mcause == 0))
    return false;
  return code_at_0 || (hart.pc == 0 && hart.mepc == 0);
}

[[noreturn]] void report_trap(const riscv::Hart& hart, const std::string& path) {
  char text[96];
  std::snprintf(
      text,
      sizeof text,
      "trap: cause %u at pc 0x%x, value 0x%x",
      hart.mcause,
      hart.mepc,
      hart.mtval);
  throw Error({path}, text, "the program has no trap handler (mtvec is 0)");
}

constexpr uint64_t kMaxSignature = 1 << 20;  // bytes

// Writes the memory that the architecture tests compare, one 32-bit word per line in hexadecimal.
void write_signature(riscv::Machine& machine, const riscv::ElfImage& elf, const std::string& path) {
  const auto begin = elf.find("begin_signature");
  const auto end = elf.find("end_signature");
  if (!begin || !end)
    throw Error({path}, "the program has no begin_signature and end_signature");
  if (*end < *begin || *end - *begin > kMaxSignature)
    throw Error({path}, "begin_signature to end_signature is no region of at most 1 MiB");
  std::string out;
  for (uint64_t at = *begin; at < *end; at += 4) {
    uint32_t word = 0;
    char line[16];
    if (at + 4 > UINT32_MAX || !machine.memory().read(uint32_t(at), 4, word)) {
      std::snprintf(line, sizeof line, "0x%llx", static_cast<unsigned long long>(at));
      throw Error({path}, std::string("the signature leaves the program's memory at ") + line);
    }
    std::snprintf(line, sizeof line, "%08x\n", word);
    out += line;
  }
  base::write_file(path, out);
}

}  // namespace

std::optional<uint32_t> run_to_tohost(
    riscv::Machine& machine,
    const riscv::ElfImage& elf,
    const std::string& path,
    uint64_t limit,
    const base::Progress& progress) {
  if (!elf.find("tohost"))
    throw Error(
        {path},
        "the program has no symbol 'tohost'",
        "it ends by storing a word there: 1 pass, (n << 1) | 1 test n failed; do not strip it");
  machine.load(elf);
  const bool code_at_0 = machine.memory().page(0) != nullptr;
  constexpr uint64_t kSlice = 1 << 24;
  for (uint64_t done = 0; done < limit && !machine.tohost(); done += kSlice) {
    progress("instructions", double(done), 0);
    if (progress.stopped())
      return std::nullopt;
    machine.run(std::min(kSlice, limit - done));
    if (fell_into_trap(machine.hart(), code_at_0))
      report_trap(machine.hart(), path);
  }
  if (!machine.tohost())
    throw Error({path}, "no store to tohost within " + std::to_string(limit) + " instructions");
  return machine.tohost();
}

TohostRun run_plain_program(const TohostOptions& options, const base::Progress& progress) {
  const riscv::ElfImage elf = riscv::read_elf(options.elf);
  riscv::Machine machine(riscv::Extensions{true, false, false});
  TohostRun out;
  out.warnings = elf.warnings;
  out.word = run_to_tohost(machine, elf, options.elf, options.limit, progress);
  out.instructions = machine.hart().instret;
  if (out.word && !options.signature.empty())
    write_signature(machine, elf, options.signature);
  return out;
}

}  // namespace lento::riscv
