// Compares reported components and intervals with the injected ones. A component of the same
// indistinguishable set counts as the true one.
#include "lab/chip/score.h"

#include <algorithm>

namespace lento::chip {
namespace {

bool names(const std::vector<Claim>& claims, const Component& component) {
  return std::ranges::any_of(claims, [&](const Claim& c) {
    return c.component == component || std::ranges::find(c.alike, component) != c.alike.end();
  });
}

}  // namespace

bool strictly_right(const std::vector<Claim>& truth, const std::vector<Claim>& reported) {
  return truth.size() == reported.size() && std::ranges::all_of(truth, [&](const Claim& t) {
           return names(reported, t.component);
         });
}

double overlap(const Claim& truth, const Claim& claim, uint64_t run_cycles) {
  const uint64_t end = std::min(truth.end, run_cycles);
  const uint64_t low = std::max(truth.begin, claim.begin);
  const uint64_t high = std::min(end, claim.end);
  if (high <= low)
    return 0;
  const uint64_t all = std::max(end, claim.end) - std::min(truth.begin, claim.begin);
  return double(high - low) / double(all);
}

}  // namespace lento::chip
