// What the published methods look at: a sketch as slow stretches of cores, transfer latencies above what they
// should be, and their means along a link or at a core, all on one time grid.
//
// Latencies and slowness are in octaves (log2 of a ratio): 1 is twice as slow.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

// A stretch in which a core computed slower than nominal.
struct SlowStretch {
  int core = 0;
  // cycles
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t count = 0;  // operations
  double octaves = 0;  // mean above nominal
};

// The operations of one layer on one core. The mean is that of the recorder: of about the last 64 operations.
struct ComputeMean {
  int core = 0;
  int layer = 0;  // id in the mapping
  uint64_t count = 0;
  double octaves = 0;  // mean above nominal
  double work = 0;     // operations, mean
};

// A value a time bin; count 0: nothing seen.
struct Sample {
  double octaves = 0;
  double count = 0;
};
using Samples = std::vector<Sample>;

struct Observations {
  int cores = 0;
  uint64_t run_cycles = 0;
  Cells cells;
  std::vector<Path> paths;                 // of the rows
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

// `profile` is a run to compare with, on the same mapping; nullptr: transfers are compared with their
// unloaded paths.
Observations observe(const Sketch& sketch, const spec::Chip& chip, const Sketch* profile);

// The profile of a workload as the published methods need one: the healthy run when given, else one replay of
// the healthy chip, else none.
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

// Mean latency above the profile of all transfers that cross a component, by bin.
Samples latency_through(const Observations& seen, const Component& component);
// The same of all transfers recorded at a core.
Samples latency_at(const Observations& seen, int core);
// How slow a core computed, by bin: 0 outside its slow stretches.
Samples slowness_of(const Observations& seen, int core);

// A suspect over [begin, end) of bins, clipped to the run.
Suspect suspect_over(const Observations& seen, const Component& component, size_t begin, size_t end);

}  // namespace lento::chip
