// Groups the operations of a layer by volume, and scores each core's distance from the mean of its group.
#include "chip/paper/paper_cores.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lento::chip {
namespace {

constexpr double kSameWork = 0.01;  // operations whose volumes differ by less are one group

double probability(double performance, double deviation) {
  if (performance < 1)
    return std::erf((1 - performance) / (deviation * std::sqrt(2.0)));
  return 0;
}

// Splits the operations of one layer into groups of about equal volume.
std::vector<std::vector<ComputeMean>> groups_of(std::vector<ComputeMean> computes) {
  std::ranges::sort(computes, [](const ComputeMean& a, const ComputeMean& b) {
    return std::tuple(a.layer, a.work, a.core) < std::tuple(b.layer, b.work, b.core);
  });
  std::vector<std::vector<ComputeMean>> out;
  for (const ComputeMean& c : computes) {
    const bool joins = !out.empty() && out.back().back().layer == c.layer &&
                       c.work <= out.back().front().work * (1 + kSameWork);
    if (!joins)
      out.emplace_back();
    out.back().push_back(c);
  }
  return out;
}

// Returns the mean performance of all cores during a stretch, 1 being nominal. The slowness of another core,
// in octaves, counts by the share of the stretch that its own stretch overlaps.
double mean_performance(const Observations& seen, const SlowStretch& during) {
  double sum = 0;
  for (int core = 0; core < seen.cores; ++core) {
    double slowest = core == during.core ? during.octaves : 0;
    for (const SlowStretch& s : seen.stretches) {
      if (s.core != core || s.begin >= during.end || s.end <= during.begin)
        continue;
      const double shared = double(std::min(s.end, during.end) - std::max(s.begin, during.begin));
      slowest =
          std::max(slowest, s.octaves * shared / double(std::max<uint64_t>(1, during.end - during.begin)));
    }
    sum += std::exp2(-slowest);
  }
  return sum / std::max(1, seen.cores);
}

}  // namespace

std::vector<CoreOutlier> core_outliers(const Observations& seen, double deviation) {
  std::vector<CoreOutlier> out;
  for (const auto& group : groups_of(seen.computes)) {
    double mean = 0;
    for (const ComputeMean& c : group)
      mean += std::exp2(-c.octaves) / double(group.size());
    for (const ComputeMean& c : group) {
      const double performance = std::exp2(-c.octaves) / mean;
      const double p = probability(performance, deviation);
      if (p > 0)
        out.push_back({c.core, c.layer, performance, p, 0, seen.run_cycles});
    }
  }
  for (const SlowStretch& s : seen.stretches) {
    const double performance = std::exp2(-s.octaves) / mean_performance(seen, s);
    const double p = probability(performance, deviation);
    if (p > 0)
      out.push_back({s.core, -1, performance, p, s.begin, s.end});
  }
  return out;
}

}  // namespace lento::chip
