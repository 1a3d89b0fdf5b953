// Raises questions about numbers and texts whose meaning is not known. A value singles out a part when all
// its peers have one other value, or when the values scatter, are positive and not all whole numbers, and
// this one is an outlier. Whether the part is slow remains unknown.
#include <algorithm>
#include <cmath>

#include "desk/incident/state_peers.h"
#include "desk/read/report_groups.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// Returns whether the numbers are those of parts, which are compared as settings: their readings scatter.
bool is_of_parts(const Quantity& quantity) {
  return quantity.group.find("of parts") != std::string::npos;
}

// Returns the parts in groups whose names differ in their numbers only: GPUs are no peers of a total.
std::vector<std::vector<Peer>> of_one_name(const Quantity& quantity, std::vector<Peer> peers) {
  if (!is_of_parts(quantity))
    return {std::move(peers)};
  std::map<std::string, std::vector<Peer>> by_stem;
  for (Peer& peer : peers) {
    std::string stem = peer.subject.device;
    std::erase_if(stem, [](char c) {
      return c >= '0' && c <= '9';
    });
    by_stem[stem].push_back(std::move(peer));
  }
  std::vector<std::vector<Peer>> groups;
  for (auto& [stem, group] : by_stem)
    groups.push_back(std::move(group));
  return groups;
}

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
  if (is_of_parts(quantity))
    return nullptr;
  const bool is_fraction = std::ranges::any_of(plain, [](double value) {
    return value != std::floor(value);
  });
  const bool is_log = std::ranges::all_of(plain, [](double value) {
    return value > 0;
  });
  if (!is_fraction || !is_log)
    return nullptr;
  for (const evidence::Outlier& outlier :
       evidence::outliers(logs, evidence::Side::Both, limits.false_alarms, {}))
    if (!is_slight(quantity, peers[outlier.index].value, typical, limits.least_effect))
      return &peers[outlier.index];
  return nullptr;
}

// Adds settings to what was compared: numbers and words without a known meaning that all peers share, when
// reports of nothing else were read in full.
void cover_settings(const Records& records, const SeriesByQuantity& unknown, Judgement& out) {
  std::vector<std::string> shared;
  for (const auto& [id, series] : unknown) {
    const Quantity& quantity = records.quantities()[id];
    const std::vector<Peer> peers = peers_of(records, series);
    if (!quantity.group.ends_with(kInFull) || peers.size() < kFewestStatePeers ||
        std::ranges::any_of(peers, [&](const Peer& peer) {
          return peer.text != peers[0].text;
        }))
      return;
    shared.push_back(
        quantity.name + " of " + std::to_string(peers.size()) +
        (peers[0].subject.device.empty() ? " hosts" : " parts"));
  }
  out.covered.insert(out.covered.end(), shared.begin(), shared.end());
}

}  // namespace

// Raises a question about numbers of reports without a known meaning (desk/general). An odd number may be the
// cause of a slow-down, so the verdict cannot be healthy.
void question_unknown(
    const Records& records,
    const SeriesByQuantity& unknown,
    size_t known,
    const JudgeOptions& options,
    Judgement& out) {
  cover_settings(records, unknown, out);
  const auto searched = std::ranges::count_if(unknown, [&](const auto& one) {
    return !is_of_parts(records.quantities()[one.first]);
  });
  const double compared = std::max(1.0, double(known) + double(searched));
  const Limits limits{options.false_alarms / compared, options.least_effect};
  for (const auto& [id, series] : unknown) {
    const Quantity& quantity = records.quantities()[id];
    for (const std::vector<Peer>& peers : of_one_name(quantity, peers_of(records, series))) {
      const Peer* odd = odd_of(quantity, peers, limits);
      if (!odd)
        continue;
      out.open.push_back(
          {subject_text(odd->subject) + " has " + quantity.name + " " + shown(*odd, quantity) +
               " unlike its " + std::to_string(peers.size() - 1) + " peers (" +
               place_text(records, odd->where) + "), and which side of that number is slow is not stated",
           "the meaning of that number: a unit (GB/s, ms) or a label such as time or throughput beside it"});
      return;
    }
  }
}

}  // namespace lento::desk
