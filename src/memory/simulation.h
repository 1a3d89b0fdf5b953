// Runs a program on the simulated multiprocessor, reports the work of each hart, and writes the access trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "finding/finding.h"

namespace lento::memory {

struct MemorySimulationOptions {
  std::string guest;     // RV32IMA program (ELF)
  std::string platform;  // YAML; empty: the shipped default
  int harts = 0;         // 0: the platform's
  std::string disk;      // content of the block device; empty: none
  std::string trace;     // file for the access trace; empty: none
  std::string text;      // file for the same trace as lossless text
  std::string paper;     // file for the six columns of Lagraa et al.
  std::string frames;    // folder for the frames of the frame buffer (PNM)
  std::vector<uint32_t> arguments;
  uint64_t max_cycles = 0;  // 0: no limit
  uint64_t seed = 1;
  std::function<void(std::string_view)> console;  // what the guest prints; null: dropped
  base::Progress progress;
};

// Describes the run without a verdict on the guest, which needs a diagnosis of its trace. Throws base::Error
// when nothing can be run or written, and when the user stops a run that was to be traced.
finding::Diagnosis simulate_memory(const MemorySimulationOptions& options);

}  // namespace lento::memory
