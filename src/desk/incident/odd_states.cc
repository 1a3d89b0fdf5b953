// Raises questions about numbers and texts whose meaning is not known. A value singles out a part when all
// its peers have one other value, or when the values scatter, are positive and not all whole numbers, and
// this one is an outlier. Whether the part is slow remains unknown.
#include <algorithm>
#include <cmath>

#include "desk/incident/outliers.h"
#include "desk/incident/state_peers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// Returns the peer whose text differs although all others have the same text, or nullptr.
const Peer* odd_text(const std::vector<Peer>& peers) {
  for (const Peer& one : {peers[0], peers[1]}) {
    const auto same = size_t(std::ranges::count(peers, one.text, &Peer::text));
    if (same + 1 != peers.size())
      continue;
    return &*std::ranges::find_if(peers, [&](const Peer& peer) {
      return peer.text != one.text;
    });
  }
  return nullptr;
}

// Returns the peer whose value differs although all others have the same one, else the one whose value is an
// outlier on a log scale (outliers.h), or nullptr. Outliers are searched only when all values are positive
// and at least one is not a whole number.
const Peer* odd_of(const Quantity& quantity, const std::vector<Peer>& peers, const Limits& limits) {
  constexpr size_t kFewest = 4;
  if (peers.size() < kFewest)
    return nullptr;
  if (std::ranges::any_of(peers, [](const Peer& peer) {
        return std::isnan(peer.value);
      }))
    return odd_text(peers);
  std::vector<double> plain;
  std::vector<double> logs;
  for (const Peer& peer : peers) {
    plain.push_back(peer.value);
    logs.push_back(std::log(peer.value));
  }
  const double typical = evidence::median(plain);
  const auto others = size_t(std::ranges::count(plain, typical));
  if (others + 1 == peers.size()) {
    const auto at = std::ranges::find_if(peers, [&](const Peer& peer) {
      return peer.value != typical;
    });
    return is_slight(quantity, at->value, typical, limits.least_effect) ? nullptr : &*at;
  }
  const bool is_fraction = std::ranges::any_of(plain, [](double value) {
    return value != std::floor(value);
  });
  const bool is_log = std::ranges::all_of(plain, [](double value) {
    return value > 0;
  });
  if (!is_fraction || !is_log)
    return nullptr;
  for (const Outlier& outlier : outliers(logs, Side::Both, limits.false_alarms, {}))
    if (!is_slight(quantity, peers[outlier.index].value, typical, limits.least_effect))
      return &peers[outlier.index];
  return nullptr;
}

}  // namespace

// Raises a question about numbers of reports without a known meaning (desk/general). An odd number may be the
// cause of a slow-down, so the verdict cannot be healthy.
void question_unknown(
    const Records& records,
    const SeriesByQuantity& unknown,
    const Limits& limits,
    Judgement& out) {
  for (const auto& [id, series] : unknown) {
    const Quantity& quantity = records.quantities()[id];
    const std::vector<Peer> peers = peers_of(records, series);
    const Peer* odd = odd_of(quantity, peers, limits);
    if (!odd)
      continue;
    out.open.push_back(
        {subject_text(odd->subject) + " has " + quantity.name + " " + shown(*odd, quantity) + " unlike its " +
             std::to_string(peers.size() - 1) + " peers (" + place_text(records, odd->where) +
             "), and which side of that number is slow is not stated",
         "the meaning of that number: a unit (GB/s, ms) or a label such as time or throughput beside it"});
    return;
  }
}

}  // namespace lento::desk
