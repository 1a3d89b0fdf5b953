// Applies each fix to the busy shares of a kernel's units. Shares of work follow from counts: wavefronts of
// the pipe, sectors and requests of the second cache, bytes of the memory. Where a count is not in the
// profile, best and worst case differ.
#include "memory/gpu/fixes.h"

#include <algorithm>

namespace lento::memory {
namespace {

// A multiprocessor issues one instruction per cycle on each of its four parts.
constexpr double kIssueSlots = 4;
// A padded or swizzled index takes a shift and an addition, or a shift and an exclusive or, if it is not
// free.
constexpr double kIndexInstructions = 2;
constexpr double kBytesOfSector = 32;
constexpr double kSectorsOfLine = 4;

// Adds a unit whose work the fix does not change.
void add_other(std::vector<BusyUnit>& units, const char* name, double busy) {
  if (busy >= 0)
    units.push_back({name, busy, busy, busy});
}

}  // namespace

// The pipe to shared memory loses the excess requests, and instruction issue may gain those that compute the
// padded index.
std::vector<BusyUnit> without_conflicts(const KernelMemory& k) {
  const BusyShares& b = k.busy;
  std::vector<BusyUnit> units;
  double pipe = b.shared_pipe >= 0 ? b.shared_pipe : b.l1;
  if (b.cycles > 0)
    pipe = std::min(1.0, std::max(pipe, k.shared.served / b.cycles));
  if (pipe < 0)
    return units;
  // Without cycles the whole pipe is taken to serve shared memory.
  const double excess = b.cycles > 0 ? k.shared.excess() / b.cycles : pipe * (1 - 1 / k.shared.degree());
  const double left = std::max(0.0, pipe - excess);
  units.push_back({"shared memory", pipe, left, left});
  if (b.shared_pipe >= 0 && b.l1 > b.shared_pipe)
    add_other(units, "first cache", b.l1);
  add_other(units, "second cache", b.l2);
  add_other(units, "memory", b.memory);
  if (b.issue >= 0) {
    const double index = b.cycles > 0 ? kIndexInstructions * k.shared.ideal / (kIssueSlots * b.cycles) : 0;
    units.push_back({"instructions", b.issue, b.issue, std::min(1.0, b.issue + index)});
  }
  return units;
}

// With coalesced accesses the first cache serves fewer sectors. The work of the second cache falls by a
// factor between those of its sectors and of its requests. The memory moves only the bytes that are needed.
// Before the fix it may move pairs of sectors, because a burst of HBM has 64 bytes.
std::vector<BusyUnit> when_coalesced(const KernelMemory& k) {
  const BusyShares& b = k.busy;
  const double ratio = k.global.ideal / k.global.served;
  std::vector<BusyUnit> units;
  if (b.l1 >= 0) {
    const double shared = b.cycles > 0 ? std::min(b.l1, k.shared.served / b.cycles) : 0;
    const double left = shared + (b.l1 - shared) * ratio;
    units.push_back({"first cache", b.l1, left, left});
  }
  // The sectors that reach the second cache are counted there, or are those that miss in the first.
  const double reach = k.l2_sectors > 0 ? std::min(k.l2_sectors, k.global.served) : k.global.served;
  const double fewest_reach =
      k.l2_sectors > 0 ? reach : k.global.served * (k.l1_misses >= 0 ? k.l1_misses : 0);
  const auto of = [](double needed, double all) {
    return all > needed ? needed / all : 1;
  };
  const double by_sectors = of(k.global.ideal, reach);
  const double by_requests = of(k.global.ideal / kSectorsOfLine, k.l2_requests > 0 ? k.l2_requests : reach);
  if (b.l2 >= 0)
    units.push_back(
        {"second cache",
         b.l2,
         b.l2 * std::min(by_sectors, by_requests),
         b.l2 * std::max(of(k.global.ideal, fewest_reach), k.l2_requests > 0 ? by_requests : 0)});
  const double asked = k.global.ideal * kBytesOfSector;
  if (b.memory >= 0 && k.memory_bytes > 0)
    units.push_back(
        {"memory", b.memory, b.memory * of(asked, k.memory_bytes), b.memory * of(asked, k.memory_bytes)});
  else if (b.memory >= 0)
    units.push_back({"memory", b.memory, b.memory * ratio / 2, b.memory});
  if (units.empty() && b.fullest >= 0)
    units.push_back({"memory and caches", b.fullest, b.fullest * ratio / kSectorsOfLine, b.fullest * ratio});
  if (!units.empty())
    add_other(units, "instructions", b.issue);
  return units;
}

// The busy share of the fullest channel is the mean share times the imbalance. The busiest part of a slice
// need not be the part with the uneven load, so no gain is certain unless the profile states the share of
// the fullest slice's lookups.
std::vector<BusyUnit> when_even(const KernelMemory& k, bool is_slices, double imbalance) {
  const BusyShares& b = k.busy;
  std::vector<BusyUnit> units;
  if (!is_slices)
    units.push_back({"memory", std::min(1.0, b.memory * imbalance), b.memory, b.memory});
  else if (b.fullest_slice >= 0 && b.mean_slice >= 0)
    units.push_back({"fullest slice", b.fullest_slice, b.mean_slice, b.mean_slice});
  else
    units.push_back({"fullest slice", b.l2, b.l2 / imbalance, b.l2});
  add_other(units, "first cache", std::max(b.l1, b.shared_pipe));
  add_other(units, "memory", is_slices ? b.memory : -1);
  add_other(units, "second cache", is_slices && b.fullest_slice < 0 ? -1 : b.l2);
  add_other(units, "instructions", b.issue);
  return units;
}

bool has_all_shares(const BusyShares& b) {
  return std::max(b.l1, b.shared_pipe) >= 0 && b.l2 >= 0 && b.memory >= 0 && b.issue >= 0;
}

// Returns the options of ncu that record the missing counters of a narrower interval.
std::string missing_counters(const KernelMemory& k, bool is_coalescing) {
  if (k.is_amd)
    return {};
  if (!has_all_shares(k.busy))
    return "--section SpeedOfLight";
  return !is_coalescing || k.l2_sectors > 0
             ? ""
             : "--metrics lts__t_sectors_srcunit_tex.sum,lts__t_requests_srcunit_tex.sum";
}

}  // namespace lento::memory
