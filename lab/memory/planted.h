// Access traces with a planted cause and their healthy twins: truth for the contention detector.
//
// Every seed draws the number of CPUs (2 to 256), nodes, the line (32, 64, 128 bytes), the sampling (one
// access in 1 to 10,000) and where things lie. A quarter of the seeds with at most 64 CPUs look like a
// simulator's traces (who delayed whom), the others like a sampler's (which level answered). At least 200
// samples hit the variable. Ordinary work surrounds it: private arrays that mostly hit, a read-only table
// that all share, some misses.
#pragma once

#include <string>
#include <vector>

#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::lab {

enum class Plant {
  FalseSharing,
  TrueSharing,
  Lock,
  Bank,
  SetConflict,
  Capacity,
  Remote,
  Bandwidth
};
inline constexpr int kPlants = 8;

// As the detector names it: "false sharing", "saturation".
const char* to_string(Plant plant);

struct PlantedTrace {
  std::vector<memory::AccessRecord> records;
  program::TraceFacts facts;
  std::string variable;  // that the finding must name
  int cpus = 0;
  int line_bytes = 0;
  int period = 1;
  bool by_culprit = false;  // a simulator's trace
};

// `healthy`: the same program with the cause taken out.
PlantedTrace plant(Plant cause, uint64_t seed, bool healthy);

}  // namespace lento::lab
