// Converts a sketch to the quantities that the published methods use: slow stretches of cores, transfer
// latencies above their expectation, and their means along a link or at a core, on a common time grid.
//
// Latencies and slowness are in octaves (log2 of a ratio): 1 is twice as slow.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

// A stretch of time in which a core computed slower than its nominal rate.
struct SlowStretch {
  int core = 0;
  // Cycles.
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t count = 0;  // operations
  double octaves = 0;  // mean above nominal
};

// The operations of one layer on one core. The recorder keeps a running mean over about the last 64
// operations.
struct ComputeMean {
  int core = 0;
  int layer = 0;  // layer id in the mapping
  uint64_t count = 0;
  double octaves = 0;  // mean above nominal
  double work = 0;     // mean number of operations
};

// The mean slowness in one time bin (log2 of a ratio) and the number of records in it. `count` 0 means no
// record.
struct Sample {
  double octaves = 0;
  double count = 0;
};
using Samples = std::vector<Sample>;

struct Observations {
  int cores = 0;
  uint64_t run_cycles = 0;
  Cells cells;
  std::vector<Path> paths;                 // of each row
  std::vector<std::vector<double>> above;  // by row and bin: octaves above the profile
  std::vector<SlowStretch> stretches;      // by core, then time
  std::vector<ComputeMean> computes;

  size_t bins() const {
    return cells.bins;
  }
  uint64_t bin_begin(size_t bin) const {
    return bin * cells.bin_cycles;
  }
};

// Computes the observations. `profile` is a run with the same mapping to compare with. Without it transfers
// are compared with their unloaded paths.
Observations observe(const Sketch& sketch, const spec::Chip& chip, const Sketch* profile);

// The reference run that the published methods need: the healthy run when one is given, else a simulated run
// of the healthy chip, else none.
class Profile {
 public:
  explicit Profile(const DetectOptions& options);
  const Sketch* sketch() const {
    return sketch_;
  }

 private:
  Sketch replayed_;
  const Sketch* sketch_ = nullptr;
};

// Returns by time bin the mean latency of all transfers through a component, in octaves above that in the
// profile run (Profile), or above the unloaded path without one.
Samples latency_through(const Observations& seen, const Component& component);
// Returns the same for all transfers that a core recorded.
Samples latency_at(const Observations& seen, int core);
// Returns by time bin by how many octaves a core computed slower than its nominal rate. 0 outside its
// recorded stretches (Observations::stretches).
Samples slowness_of(const Observations& seen, int core);

// Returns a suspect for the bins [begin, end), clipped to the run.
Suspect suspect_over(const Observations& seen, const Component& component, size_t begin, size_t end);

}  // namespace lento::chip
