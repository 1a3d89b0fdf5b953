// Lists where the latency of a sampled trace lies, for any reason: by code and by variable, as `perf mem
// report` and the views of MemAxes (Gimenez et al., SC 2014) sum it.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/contention_names.h"

namespace lento::memory {

struct SampledShare {
  // Names a function or source line, or a variable. Without a name it is the address of the slowest access.
  std::string name;
  uint64_t latency = 0;
  uint64_t samples = 0;
};

// Return the summed latency by code and by variable, sorted by falling latency, then by name. Both lists are
// empty for traces that are not sampled.
std::vector<SampledShare> sampled_code(const Scan& scan, const ContentionNames& names);
std::vector<SampledShare> sampled_variables(const Scan& scan, const ContentionNames& names);

}  // namespace lento::memory
