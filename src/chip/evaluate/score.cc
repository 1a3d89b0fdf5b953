#include "chip/evaluate/score.h"

#include <algorithm>

namespace lento::chip {
namespace {

bool names(const std::vector<Claim>& claims, const Component& component) {
  return std::any_of(claims.begin(), claims.end(), [&](const Claim& c) { return c.component == component; });
}

}  // namespace

bool touches(const std::vector<uint64_t>& fault_hits, uint64_t least) {
  return !fault_hits.empty() &&
         std::all_of(fault_hits.begin(), fault_hits.end(), [&](uint64_t hits) { return hits >= least; });
}

bool strictly_right(const std::vector<Claim>& truth, const std::vector<Claim>& reported) {
  return truth.size() == reported.size() && std::all_of(truth.begin(), truth.end(), [&](const Claim& t) {
           return names(reported, t.component);
         });
}

bool among_first(const std::vector<Claim>& truth, const std::vector<Claim>& ranked, size_t k) {
  if (truth.empty()) return false;
  const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(k, ranked.size()));
  return std::any_of(ranked.begin(), end, [&](const Claim& c) { return c.component == truth[0].component; });
}

double overlap(const Claim& truth, const Claim& claim, uint64_t run_cycles) {
  const uint64_t end = std::min(truth.end, run_cycles);
  const uint64_t low = std::max(truth.begin, claim.begin), high = std::min(end, claim.end);
  if (high <= low) return 0;
  const uint64_t all = std::max(end, claim.end) - std::min(truth.begin, claim.begin);
  return static_cast<double>(high - low) / static_cast<double>(all);
}

void PaperCount::add(const std::vector<Claim>& truth, const std::vector<Claim>& reported) {
  for (const Claim& t : truth)
    ++(names(reported, t.component) ? counts.true_positive : counts.false_negative);
  for (const Claim& r : reported) counts.false_positive += !names(truth, r.component);
}

}  // namespace lento::chip
