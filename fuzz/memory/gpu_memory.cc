// Any text as counters or accesses of GPU kernels, judged: no best layout needs more than was served.
#include "base/error.h"
#include "memory/gpu/judge.h"
#include "memory/gpu/kernel_memory.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static MemoryFile file;
  base::ReadReport report;
  try {
    const auto kernels = memory::is_gpu_counters(text) ? memory::read_gpu_counters(text, "fuzz", report)
                                                       : memory::read_gpu_accesses(text, "fuzz", report);
    for (const memory::KernelMemory& k : kernels) {
      if (k.shared.excess() < 0 || k.global.excess() < 0)
        std::abort();
    }
    memory::diagnose_gpu_memory(file.fill(data, size), false);
  } catch (const base::Error&) {
  }
  return 0;
}
