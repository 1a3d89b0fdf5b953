// Judges states: a part that differs from its peers, and a part that stays below what it states as its
// capability.
//
// Texts and numbers that the peers share exactly are judged by vote: the value of the majority is right, and
// a minority is odd. The chance that a further healthy peer would differ, when n agree, is below 1/(n+2)
// (Laplace's rule of succession). Numbers that scatter are judged by the peers' own spread (outliers.h),
// counters and sizes above zero on a log scale, counters with their counting noise as the least spread.
//
// A counter that was read more than once counts by its increase from the first reading to the last. When it
// decreased it was cleared in between, and counts from that point. When counters of a named part increased
// while those of nearly all its peers did not, they are added to its finding.
//
// When all devices of each host agree, the hosts are compared instead, so that one host with eight deviating
// devices is one finding. With fewer than three peers nothing is judged.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestStatePeers = 3;

// Of one quantity: JudgeOptions, with the probability shared among all quantities.
struct Limits {
  double false_alarms = 0;
  double least_effect = 0;
};

struct Peer {
  Subject subject;
  std::string text;  // its values, joined
  double value = kUnknown;
  double expected = kUnknown;
  std::string note;
  bool is_rise = false;  // the value is an increase between two readings
  Where where;
};

std::string value_text(const Observation& row, const Quantity& quantity) {
  if (!row.text.empty() || std::isnan(row.value))
    return row.text;
  return base::format_number(row.value, 10) + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

struct Readings {
  double first = kUnknown;
  size_t count = 0;
};

// Subtracts a counter's value at its first reading.
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

// Returns the peers of one quantity, each with all values in its rows.
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

// Returns one peer for each host when the devices of every host agree and there are enough hosts.
std::vector<Peer> by_host(const std::vector<Peer>& peers) {
  std::map<std::string, Peer> hosts;
  for (const Peer& peer : peers) {
    if (peer.subject.host.empty() || (peer.subject.device.empty() && peer.subject.rank.empty()))
      return peers;
    auto [at, is_new] = hosts.try_emplace(peer.subject.host, peer);
    if (!is_new && at->second.text != peer.text)
      return peers;
    at->second.subject = {peer.subject.host, "", ""};
  }
  // When each host has one such device, the finding names the device too.
  if (hosts.size() < kFewestStatePeers || hosts.size() == peers.size())
    return peers;
  std::vector<Peer> out;
  for (auto& [host, peer] : hosts)
    out.push_back(std::move(peer));
  return out;
}

// Returns whether `value` is worse than `than`.
bool is_worse(const Quantity& quantity, double value, double than) {
  switch (quantity.better) {
    case Better::Higher:
      return value < than;
    case Better::Lower:
      return value > than;
    case Better::Same:
      return value != than;
    default:
      return false;
  }
}

// Returns the step in which a report prints its numbers: the largest power of ten that divides both.
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

// Returns whether a measured size differs by less than is worth a finding, or in a report by no more than one
// step of what it prints.
bool is_slight(const Quantity& quantity, double value, double than, double least_effect) {
  if (quantity.kind != Kind::Level || !(value > 0) || !(than > 0))
    return false;
  const bool is_rounded =
      quantity.group.starts_with("report") && std::abs(value - than) < 1.5 * grain_of(value, than);
  return is_rounded || std::abs(std::log(value / than)) < std::log1p(least_effect);
}

// Formats a value for the report. It shows up to ten digits when three digits would look equal to `beside`.
std::string shown(const Peer& peer, const Quantity& quantity, double beside = kUnknown) {
  const bool is_number = !std::isnan(peer.value) && peer.text.find(" and ") == std::string::npos;
  const std::string brief = is_number ? base::format_measure(peer.value, quantity.unit) : peer.text;
  return brief == base::format_measure(beside, quantity.unit) ? peer.text : brief;
}

// Returns the finding for a part whose state differs from its peers.
finding::Finding
finding_of(const Records& records, const Quantity& quantity, const Peer& peer, const std::string& beside) {
  finding::Finding finding;
  finding.subject = subject_text(peer.subject);
  finding.category = "unlike its peers: " + quantity.name;
  const bool says_more = peer.is_rise || !peer.note.empty();
  finding.summary = finding.subject + (peer.is_rise ? " rose in " : " has ") + quantity.name +
                    (peer.is_rise ? " by " : " ") + (says_more ? peer.text : shown(peer, quantity)) +
                    " where " + beside;
  finding.where = place_of(peer.subject);
  finding::Evidence evidence{
      std::isnan(peer.value) ? quantity.name + " " + peer.text : quantity.name,
      std::nullopt,
      quantity.unit,
      place_text(records, peer.where)};
  if (!std::isnan(peer.value))
    evidence.value = peer.value;
  finding.evidence.push_back(std::move(evidence));
  finding.next_step = quantity.advice;
  return finding;
}

void draw_states(
    const std::string& subject,
    const Quantity& quantity,
    const std::vector<Peer>& peers,
    Judgement& out) {
  std::vector<std::pair<Subject, double>> parts;
  for (const Peer& peer : peers)
    parts.emplace_back(peer.subject, peer.value);
  draw_levels(subject, quantity, parts, out);
}

// Returns the value that more than half of the peers have, or nullptr.
const Peer* majority(const std::vector<Peer>& peers, size_t& count) {
  std::map<std::string, std::pair<size_t, const Peer*>> votes;
  for (const Peer& peer : peers) {
    auto& [n, first] = votes[peer.text];
    ++n;
    if (!first)
      first = &peer;
  }
  for (const auto& [text, vote] : votes) {
    if (vote.first * 2 > peers.size()) {
      count = vote.first;
      return vote.second;
    }
  }
  return nullptr;
}

// Compares parts with the value that most of them have.
void vote(
    const Records& records,
    const Quantity& quantity,
    const std::vector<Peer>& peers,
    const Limits& limits,
    Judgement& out) {
  size_t count = 0;
  const Peer* most = majority(peers, count);
  if (!most) {
    out.notes.push_back(
        quantity.name + " takes several values among " + std::to_string(peers.size()) +
        " peers and none of them is that of the most: not judged");
    return;
  }
  for (const Peer& peer : peers) {
    if (peer.text == most->text)
      continue;
    const bool numbers = !std::isnan(peer.value) && !std::isnan(most->value);
    if (numbers ? !is_worse(quantity, peer.value, most->value) : quantity.better == Better::Neither)
      continue;
    if (numbers && is_slight(quantity, peer.value, most->value, limits.least_effect))
      continue;
    finding::Finding finding = finding_of(
        records,
        quantity,
        peer,
        std::to_string(count) + " of " + std::to_string(peers.size()) + " have " +
            shown(*most, quantity, peer.value));
    const double chance = 1 / double(count + 2);
    finding.score = 1 - chance;
    if (numbers && peer.value > 0 && most->value > 0)
      finding::set_ratio(finding, peer.value, most->value, quantity.name);
    finding.evidence.push_back(
        {"peers that agree; a further healthy one differs with a chance below " + base::percent(chance) +
             (count < 5 ? " (few peers)" : ""),
         double(count),
         "peers",
         quantity.name});
    draw_states(finding.subject, quantity, peers, out);
    out.findings.push_back(std::move(finding));
  }
}

// Compares by their spread values that fewer than two thirds of the peers share exactly.
void compare(
    const Records& records,
    const Quantity& quantity,
    const std::vector<Peer>& peers,
    const Limits& limits,
    Judgement& out) {
  const double budget = limits.false_alarms;
  std::vector<double> values;
  const bool is_counter = quantity.kind == Kind::Counter;
  bool is_log = true;
  for (const Peer& peer : peers)
    is_log = is_log && (is_counter ? peer.value >= 0 : peer.value > 0);
  std::vector<double> plain;
  for (const Peer& peer : peers) {
    plain.push_back(peer.value);
    values.push_back(is_log ? std::log(peer.value + (is_counter ? 1 : 0)) : peer.value);
  }
  const double typical = evidence::median(plain);
  const Floor floor{is_counter && is_log ? 1 / std::sqrt(typical + 1) : 0, is_counter && is_log};
  const Side side = quantity.better == Better::Higher  ? Side::Low
                    : quantity.better == Better::Lower ? Side::High
                                                       : Side::Both;
  for (const Outlier& outlier : outliers(values, side, budget, floor)) {
    const Peer& peer = peers[outlier.index];
    if (is_slight(quantity, peer.value, typical, limits.least_effect))
      continue;
    finding::Finding finding = finding_of(
        records,
        quantity,
        peer,
        "its " + std::to_string(peers.size() - 1) + " peers have about " +
            base::format_measure(typical, quantity.unit));
    finding.score = std::clamp(1 - outlier.false_alarm / budget * 0.5, 0.5, 0.99);
    if (!is_counter && peer.value > 0 && typical > 0)
      finding::set_ratio(finding, peer.value, typical, quantity.name);
    finding.evidence.push_back(
        {"a healthy set of peers holds one that is as far out " + false_alarm_text(outlier.false_alarm) +
             ", " + std::to_string(peers.size()) + " peers",
         outlier.t,
         "times their spread",
         quantity.name});
    draw_states(finding.subject, quantity, peers, out);
    out.findings.push_back(std::move(finding));
  }
}

// Reports devices below their stated capability. When all peers are below it, they are idle.
void judge_expected(
    const Records& records,
    const Quantity& quantity,
    const std::vector<Peer>& peers,
    Judgement& out) {
  std::vector<const Peer*> below;
  size_t stated = 0;
  for (const Peer& peer : peers) {
    if (std::isnan(peer.expected) || std::isnan(peer.value))
      continue;
    ++stated;
    if (is_worse(quantity, peer.value, peer.expected))
      below.push_back(&peer);
  }
  if (below.empty())
    return;
  if (below.size() * 2 >= stated) {
    out.open.push_back(
        {std::to_string(below.size()) + " of " + std::to_string(stated) + " parts are below the " +
             quantity.name + " that they can do, which an idle link may be as well",
         "the same reading while the job runs"});
    return;
  }
  for (const Peer* peer : below) {
    finding::Finding finding = finding_of(
        records,
        quantity,
        *peer,
        "it can do " + base::format_measure(peer->expected, quantity.unit) + " and " +
            std::to_string(stated - below.size()) + " peers do what they can");
    finding.category = "below what it can do: " + quantity.name;
    finding.score = 1 - 1 / double(stated - below.size() + 2);
    if (peer->value > 0 && peer->expected > 0)
      finding::set_ratio(finding, peer->value, peer->expected, quantity.name);
    draw_states(finding.subject, quantity, peers, out);
    out.findings.push_back(std::move(finding));
  }
}

// Adds to a named part the counters that increased on it and not on nearly all of its peers.
void add_counters(
    const Records& records,
    const std::map<uint32_t, std::vector<const Series*>>& by_quantity,
    std::span<finding::Finding> findings) {
  for (const auto& [id, series] : by_quantity) {
    const Quantity& quantity = records.quantities()[id];
    if (quantity.kind != Kind::Counter || quantity.better != Better::Lower)
      continue;
    const std::vector<Peer> peers = peers_of(records, series);
    const Peer& most = *std::ranges::max_element(peers, {}, &Peer::value);
    std::vector<double> values;
    for (const Peer& peer : peers)
      values.push_back(peer.value);
    if (!(most.value > 0) || evidence::median(values) > 0)
      continue;
    for (finding::Finding& finding : findings) {
      if (finding.subject != subject_text(most.subject) || finding.category.ends_with(quantity.name))
        continue;
      finding.summary += "; " + quantity.name + " " + most.text;
      finding.evidence.push_back(
          {quantity.name + " " + most.text, most.value, "", place_text(records, most.where)});
    }
  }
}

bool all_numbers(const std::vector<Peer>& peers) {
  return std::ranges::none_of(peers, [](const Peer& peer) {
    return std::isnan(peer.value);
  });
}

// Judges one quantity by expected values, by outliers or by the majority.
void judge_quantity(
    const Records& records,
    const Quantity& quantity,
    std::vector<Peer> peers,
    const Limits& limits,
    Judgement& out) {
  if (std::ranges::any_of(peers, [](const Peer& peer) {
        return !std::isnan(peer.expected);
      })) {
    judge_expected(records, quantity, peers, out);
    out.covered.push_back(quantity.name + " of " + std::to_string(peers.size()) + " parts");
    return;
  }
  peers = by_host(peers);
  if (peers.size() < kFewestStatePeers)
    return;
  size_t count = 0;
  const bool is_shared = majority(peers, count) && count * 3 >= peers.size() * 2;
  const bool is_vote = !all_numbers(peers) || (is_shared && quantity.kind != Kind::Counter);
  // The values of kFewestStatePeers (three) peers that all differ give no estimate of a healthy spread, so
  // that they are not judged.
  const bool is_judged = is_vote || peers.size() > kFewestStatePeers || is_shared;
  if (is_judged)
    out.covered.push_back(
        quantity.name + " of " + std::to_string(peers.size()) +
        (peers[0].subject.device.empty() ? " hosts" : " parts"));
  if (is_vote)
    vote(records, quantity, peers, limits, out);
  else
    compare(records, quantity, peers, limits, out);
}

// Shortens the coverage to text such as "clock and 46 more quantities of 8 hosts", because a page of metrics
// holds hundreds of quantities of the same parts.
std::vector<std::string> merged(const std::vector<std::string>& covered) {
  constexpr size_t kMost = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_parts;
  for (const std::string& text : covered) {
    const size_t at = text.rfind(" of ");
    const std::string parts = text.substr(at);
    auto same = std::ranges::find(by_parts, parts, &std::pair<std::string, std::vector<std::string>>::first);
    if (same == by_parts.end())
      same = by_parts.insert(by_parts.end(), {parts, {}});
    same->second.push_back(text.substr(0, at));
  }
  std::vector<std::string> out;
  for (const auto& [parts, names] : by_parts) {
    if (names.size() <= kMost) {
      for (const std::string& name : names)
        out.push_back(name + parts);
      continue;
    }
    out.push_back(
        names[0] + ", " + names[1] + " and " + std::to_string(names.size() - 2) + " more quantities" + parts);
  }
  return out;
}

// Returns the peer whose number differs although all others share one, or whose fraction is out of their
// spread.
const Peer* odd_of(const Quantity& quantity, const std::vector<Peer>& peers, const Limits& limits) {
  constexpr size_t kFewest = 4;
  if (peers.size() < kFewest)
    return nullptr;
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

// Numbers of reports without a known meaning (desk/general): an odd one may be what is slow, and no all-clear
// is possible beside it.
void question_unknown(
    const Records& records,
    const std::map<uint32_t, std::vector<const Series*>>& unknown,
    const JudgeOptions& options,
    Judgement& out) {
  for (const auto& [id, series] : unknown) {
    const Quantity& quantity = records.quantities()[id];
    const std::vector<Peer> peers = peers_of(records, series);
    const Peer* odd =
        odd_of(quantity, peers, {options.false_alarms / double(unknown.size()), options.least_effect});
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

}  // namespace

// Judges states of parts, such as link speeds and versions.
void judge_states(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::map<uint32_t, std::vector<const Series*>> by_quantity;
  std::map<uint32_t, std::vector<const Series*>> unknown;
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    const bool is_judged = quantity.better != Better::Neither && quantity.kind != Kind::Annotation;
    if (is_judged && quantity.scope == Scope::Own && !series.rows.empty() && series.rows[0].is_state())
      by_quantity[series.quantity].push_back(&series);
    if (quantity.better == Better::Neither && quantity.group == "report, without a meaning" &&
        !series.rows.empty())
      unknown[series.quantity].push_back(&series);
  }
  std::vector<std::string> before = std::exchange(out.covered, {});
  const size_t found = out.findings.size();
  for (const auto& [id, series] : by_quantity)
    judge_quantity(
        records,
        records.quantities()[id],
        peers_of(records, series),
        {options.false_alarms / double(by_quantity.size()), options.least_effect},
        out);
  add_counters(records, by_quantity, std::span(out.findings).subspan(found));
  if (out.findings.size() == found)
    question_unknown(records, unknown, options, out);
  const std::vector<std::string> own = merged(out.covered);
  out.covered = std::move(before);
  out.covered.insert(out.covered.end(), own.begin(), own.end());
}

}  // namespace lento::desk
