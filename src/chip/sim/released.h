// The model of the released SLOTH example, for comparison with its simulator's measurements: whole messages
// store and forward over links with unbounded queues, DRAM beside the mesh (four slots per core), windows of
// ten instructions of which all must be done before the next ten, Gamma-distributed bandwidth, free probes.
//
// A read that is already in its core's window when the write it waits for ends is done at that moment, and
// takes no time at its memory unit. The release does so, and its run times depend on it.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/map/faults.h"
#include "chip/map/file/released.h"
#include "chip/read/probe_record.h"
#include "spec/chip.h"

namespace lento::chip {

struct ReleasedOptions {
  uint32_t inferences = 1;
  uint64_t seed = 1;
};

struct ReleasedResult {
  uint64_t cycles = 0;      // when the last instruction was done
  uint64_t unfinished = 0;  // instructions that never could start; 0 in a run that ends
  // Both in cycles.
  std::vector<uint64_t> core_busy;
  std::vector<uint64_t> link_busy;
  uint64_t records = 0;
};

// A pure function. Draws depend on (seed, instruction, hop) only, so runs with and without a fault are
// paired.
ReleasedResult simulate_released(
    const spec::Chip& chip,
    const ReleasedProgram& program,
    const std::vector<Fault>& faults,
    const ReleasedOptions& options,
    RecordSink* sink = nullptr);

}  // namespace lento::chip
