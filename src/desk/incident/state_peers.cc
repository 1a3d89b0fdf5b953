// Collects the values of each subject, replaces a counter by its rise since the first reading, and leaves out
// texts of which a cut file holds the beginning only.
#include "desk/incident/state_peers.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "desk/read/ends.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

std::string value_text(const Observation& row, const Quantity& quantity) {
  if (!row.text.empty() || std::isnan(row.value))
    return row.text;
  return base::format_number(row.value, 10) + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

struct Readings {
  double first = kUnknown;
  size_t count = 0;
};

// Replaces a counter that was read more than once by its rise since the first reading. A counter that fell
// was cleared in between and keeps its value.
void count_from(const Readings& readings, Peer& peer) {
  const double first = readings.first;
  if (readings.count < 2)
    return;
  const std::string last = base::format_number(peer.value, 10);
  const double rise = peer.value >= first ? peer.value - first : peer.value;
  peer.text = base::format_number(rise, 10) + " (" + base::format_number(first, 10) + " -> " + last + ")";
  peer.is_rise = true;
  peer.value = rise;
}

// Returns whether the row holds only the beginning of a text, because its file was cut there and another row
// has the whole text.
bool is_torn(const Records& records, const Observation& row, const std::vector<const Series*>& series) {
  if (row.text.empty() || row.where.line == 0 || records.files[row.where.file].torn_line != row.where.line)
    return false;
  return std::ranges::any_of(series, [&](const Series* one) {
    return std::ranges::any_of(one->rows, [&](const Observation& other) {
      return other.text.size() > row.text.size() && other.text.starts_with(row.text);
    });
  });
}

}  // namespace

// Returns the peers of one quantity. The value of each is that of its last row, the text joins all its
// values.
std::vector<Peer> peers_of(const Records& records, const std::vector<const Series*>& series) {
  std::map<Subject, Peer> peers;
  std::map<Subject, std::vector<std::string>> texts;
  std::map<Subject, Readings> readings;
  for (const Series* one : series) {
    for (const Observation& row : one->rows) {
      if (is_torn(records, row, series))
        continue;
      const Subject& subject = records.subject(row);
      Peer& peer = peers[subject];
      peer.subject = subject;
      peer.value = row.value;
      peer.expected = row.expected;
      peer.note = row.note;
      if (peer.where.line == 0)
        peer.where = row.where;
      ++readings.try_emplace(subject, Readings{row.value, 0}).first->second.count;
      auto& list = texts[subject];
      const std::string text = value_text(row, records.quantities()[row.quantity]);
      if (std::ranges::find(list, text) == list.end())
        list.push_back(text);
    }
  }
  std::vector<Peer> out;
  for (auto& [subject, peer] : peers) {
    auto& list = texts[subject];
    std::ranges::sort(list);
    for (const std::string& text : list)
      peer.text += (peer.text.empty() ? "" : " and ") + text;
    const Quantity& quantity = records.quantities()[series[0]->quantity];
    if (quantity.kind == Kind::Counter)
      count_from(readings.at(subject), peer);
    if (!peer.note.empty())
      peer.text += " (" + peer.note + ")";
    out.push_back(std::move(peer));
  }
  return out;
}

// Returns one peer for each host when all devices of each host have the same value and there are at least
// kFewestStatePeers hosts, else `peers` unchanged.
std::vector<Peer> by_host(const std::vector<Peer>& peers) {
  std::map<std::string, Peer> hosts;
  for (const Peer& peer : peers) {
    if (peer.subject.host.empty())
      return peers;
    auto [at, is_new] = hosts.try_emplace(peer.subject.host, peer);
    if (!is_new && at->second.text != peer.text)
      return peers;
    at->second.subject = {peer.subject.host, "", ""};
  }
  // When each host has one such device, `peers` stays, so that the finding names the device too.
  if (hosts.size() < kFewestStatePeers || hosts.size() == peers.size())
    return peers;
  std::vector<Peer> out;
  for (auto& [host, peer] : hosts)
    out.push_back(std::move(peer));
  return out;
}

std::vector<Peer> by_end(const Quantity& quantity, const std::vector<Peer>& peers) {
  std::vector<double> values;
  for (const Peer& peer : peers) {
    if (ends_of(peer.subject.host).size() < 2 || std::isnan(peer.value))
      return {};
    values.push_back(peer.value);
  }
  const double typical = evidence::median(values);
  const auto badness = [&](double value) {
    return quantity.better == Better::Higher  ? -value
           : quantity.better == Better::Lower ? value
                                              : std::abs(value - typical);
  };
  std::map<std::string, Peer> hosts;
  for (const Peer& peer : peers)
    for (const std::string& host : ends_of(peer.subject.host)) {
      auto [at, is_new] = hosts.try_emplace(host, peer);
      if (!is_new && badness(peer.value) < badness(at->second.value))
        at->second = peer;
      at->second.subject = {host, peer.subject.device, peer.subject.rank};
    }
  // The only pair of a host says as much of the other end. A host of one pair is judged by its pair.
  std::map<std::string, size_t> pairs;
  for (const Peer& peer : peers)
    for (const std::string& host : ends_of(peer.subject.host))
      ++pairs[host];
  std::vector<Peer> out;
  for (auto& [host, peer] : hosts)
    if (pairs[host] > 1)
      out.push_back(std::move(peer));
  return out;
}

namespace {

// Returns the value of one unit of the last digit that a report prints, which is taken to be the largest
// power of ten that divides both numbers. 0 when there is none.
double grain_of(double a, double b) {
  for (double grain = 1e15; grain > 1e-12; grain /= 10) {
    const auto divides = [grain](double value) {
      const double parts = value / grain;
      return parts >= 0.5 && std::abs(parts - std::round(parts)) < 1e-6 * parts;
    };
    if (divides(a) && divides(b))
      return grain;
  }
  return 0;
}

}  // namespace

// Returns whether two positive values of Kind::Level are too close for a finding: their ratio is below
// 1 + `least_effect` or, in a report, they differ by at most one unit of the last printed digit.
bool is_slight(const Quantity& quantity, double value, double than, double least_effect) {
  if (quantity.kind != Kind::Level || !(value > 0) || !(than > 0))
    return false;
  const bool is_rounded =
      quantity.group.starts_with("report") && std::abs(value - than) < 1.5 * grain_of(value, than);
  return is_rounded || std::abs(std::log(value / than)) < std::log1p(least_effect);
}

// Formats a value for the report. It shows up to ten digits when three digits would look equal to `beside`.
std::string shown(const Peer& peer, const Quantity& quantity, double beside) {
  const bool is_number = !std::isnan(peer.value) && peer.text.find(" and ") == std::string::npos;
  const std::string brief = is_number ? base::format_measure(peer.value, quantity.unit) : peer.text;
  return brief == base::format_measure(beside, quantity.unit) ? peer.text : brief;
}

}  // namespace lento::desk
