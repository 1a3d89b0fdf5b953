#include "lab/chip/score.h"

#include <algorithm>

namespace lento::chip {
namespace {

bool names(const std::vector<Claim>& claims, const Component& component) {
  return std::any_of(claims.begin(), claims.end(), [&](const Claim& c) {
    return c.component == component || std::find(c.alike.begin(), c.alike.end(), component) != c.alike.end();
  });
}

}  // namespace

bool strictly_right(const std::vector<Claim>& truth, const std::vector<Claim>& reported) {
  return truth.size() == reported.size() && std::all_of(truth.begin(), truth.end(), [&](const Claim& t) {
           return names(reported, t.component);
         });
}

double overlap(const Claim& truth, const Claim& claim, uint64_t run_cycles) {
  const uint64_t end = std::min(truth.end, run_cycles);
  const uint64_t low = std::max(truth.begin, claim.begin), high = std::min(end, claim.end);
  if (high <= low) return 0;
  const uint64_t all = std::max(end, claim.end) - std::min(truth.begin, claim.begin);
  return static_cast<double>(high - low) / static_cast<double>(all);
}

}  // namespace lento::chip
