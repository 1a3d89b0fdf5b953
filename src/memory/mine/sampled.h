// Where the latency of a sampled trace lies, whatever its reason: by code and by variable, as `perf mem
// report` and the views of MemAxes (Gimenez et al., SC 2014) sum it.
#pragma once

#include <string>
#include <vector>

#include "memory/mine/contention_names.h"

namespace lento::memory {

struct SampledShare {
  // Of a function or source line, of a variable; where there is none, the slowest access's address.
  std::string name;
  uint64_t latency = 0;
  uint64_t samples = 0;
};

// Most latency first, then by name; empty for traces that are not sampled.
std::vector<SampledShare> sampled_code(const Scan& scan, const ContentionNames& names);
std::vector<SampledShare> sampled_variables(const Scan& scan, const ContentionNames& names);

}  // namespace lento::memory
