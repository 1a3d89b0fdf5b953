// Compares one kind of record, the one whose cells depend most on the suspect. The peers are records of the
// same time that the suspect does not serve, because anything that slows the whole chip slows both. Records
// that the suspect serves at other times are peers too, because all transfers of a stretch may cross one
// link.
#include "chip/model/rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "evidence/compare.h"
#include "evidence/sample.h"

namespace lento::chip {

// Returns one over the number of ways to choose the suspect's records among all.
double RankCheck::least_chance() const {
  const auto n = double(exposed);
  const auto m = double(peers);
  return std::exp(std::lgamma(n + 1) + std::lgamma(m + 1) - std::lgamma(n + m + 1));
}

RankCheck slower_by_rank(
    const Dictionary& d,
    std::span<const ProbeRecord> records,
    const PartCells& suspect,
    double begin,
    double end) {
  std::array<double, 4> shown{};
  std::array<double, 4> most{};
  // Share of the suspect by cell; -1: its records only wait for it.
  std::vector<float> shares(d.cells.size());
  for (const PartCells::Cell& reached : suspect.reached)
    shares[reached.cell] = -1;
  for (const auto& [cell, share] : suspect.served) {
    const auto kind = size_t(d.cells[cell].kind);
    shown[kind] += share * share / d.cells[cell].variance;
    most[kind] = std::max(most[kind], double(share));
    shares[cell] = share;
  }
  const auto kind = size_t(std::ranges::max_element(shown) - shown.begin());
  const double exposed_from = most[kind] / 2;
  const double least = most[kind] / 20;
  std::vector<double> exposed;
  std::vector<double> peers;
  for (const ProbeRecord& r : records) {
    const double middle = double(r.begin) + double(r.end - r.begin) / 2;
    if (size_t(r.kind) != kind)
      continue;
    const bool inside = middle >= begin && middle < end;
    const int64_t at = d.find(key_of(r));
    if (at < 0)
      continue;
    const Dictionary::Expected& e = d.expected[size_t(at)];
    const double share = shares[e.cell];
    const double ratio = double(r.end - r.begin) / (e.cycles * d.cells[e.cell].middle);
    if (share > exposed_from)
      (inside ? exposed : peers).push_back(ratio);
    else if (inside && share >= 0 && share < least)
      peers.push_back(ratio);
  }
  RankCheck out;
  out.exposed = exposed.size();
  out.peers = peers.size();
  if (exposed.empty() || peers.empty() || most[kind] <= 0)
    return out;
  out.chance = evidence::rank_sum(exposed, peers).greater;
  out.slower = evidence::median(exposed) / std::max(1e-9, evidence::median(peers));
  return out;
}

}  // namespace lento::chip
