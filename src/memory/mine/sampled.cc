// Sums the latency of sampled accesses by the name of their code and of their variable, and sorts the sums.
#include "memory/mine/sampled.h"

#include <algorithm>
#include <map>

namespace lento::memory {
namespace {

using Sums = std::map<std::string, Sampled>;

void add(const Sampled& part, Sampled& sum) {
  sum.latency += part.latency;
  sum.accesses += part.accesses;
}

std::vector<SampledShare> sorted(const Sums& sums) {
  std::vector<SampledShare> out;
  for (const auto& [name, sum] : sums)
    out.push_back({name, sum.latency, sum.accesses});
  std::ranges::stable_sort(out, [](const SampledShare& a, const SampledShare& b) {
    return a.latency > b.latency;
  });
  return out;
}

}  // namespace

std::vector<SampledShare> sampled_code(const Scan& scan, const ContentionNames& names) {
  Sums sums;
  for (const auto& [function, part] : scan.sampled_code)
    add(part, sums[names.code(function, part.address)]);
  return sorted(sums);
}

std::vector<SampledShare> sampled_variables(const Scan& scan, const ContentionNames& names) {
  Sums sums;
  for (const auto& [key, part] : scan.sampled_data)
    add(part, sums[names.variable(key.process, part.address)]);
  return sorted(sums);
}

}  // namespace lento::memory
