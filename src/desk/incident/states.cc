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
#include <set>
#include <span>
#include <utility>

#include "base/units.h"
#include "desk/incident/state_peers.h"
#include "desk/read/report_groups.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

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

// Adds a finding for each peer whose number is worse than, or whose text differs from, the one that more than
// half of the peers have. When there is no such value, it adds a note instead.
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

struct OutlierTest {
  evidence::Side side;
  double budget;
  evidence::Floor floor;
};

// Returns whether a counter is no longer an outlier once it is divided by the relative traffic of its part.
bool is_by_traffic(
    const Records& records,
    size_t index,
    const std::vector<Peer>& peers,
    std::vector<double> logs,
    const OutlierTest& test) {
  const Peer& peer = peers[index];
  const double times = times_traffic(records, peer.subject);
  if (peer.is_rise || times <= 1)
    return false;
  logs[index] = std::log(peer.value / times + 1);
  return std::ranges::none_of(
      evidence::outliers(logs, test.side, test.budget, test.floor),
      [&](const evidence::Outlier& one) {
        return one.index == index;
      });
}

// Adds a finding for each peer whose value is an outlier among its peers (outliers.h), on the bad side and by
// more than `least_effect`. For counters, and for numbers of which fewer than two thirds of the peers have
// the same value.
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
  const evidence::Floor floor{is_counter && is_log ? 1 / std::sqrt(typical + 1) : 0, is_counter && is_log};
  const evidence::Side side = quantity.better == Better::Higher  ? evidence::Side::Low
                              : quantity.better == Better::Lower ? evidence::Side::High
                                                                 : evidence::Side::Both;
  for (const evidence::Outlier& outlier : evidence::outliers(values, side, budget, floor)) {
    const Peer& peer = peers[outlier.index];
    if (is_slight(quantity, peer.value, typical, limits.least_effect) ||
        (is_counter && is_log && is_by_traffic(records, outlier.index, peers, values, {side, budget, floor})))
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

// Reports devices below their stated capability. When half of them are below it, they may be idle, which is
// an open question. A PCIe width does not fall when a link is idle, so it is reported unless all are below.
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
  const bool is_width = quantity.name == "PCIe width" && below.size() < stated;
  if (below.size() * 2 >= stated && !is_width) {
    out.open.push_back(
        {std::to_string(below.size()) + " of " + std::to_string(stated) + " parts are below the " +
             quantity.name + " that they can do, which an idle link may be as well",
         "the same reading while the job runs"});
    return;
  }
  const size_t others = stated - below.size();
  for (const Peer* peer : below) {
    finding::Finding finding = finding_of(
        records,
        quantity,
        *peer,
        "it can do " + base::format_measure(peer->expected, quantity.unit) + " as its " +
            (others == 1 ? "peer does" : std::to_string(others) + " peers do"));
    finding.category = "below what it can do: " + quantity.name;
    finding.score = 1 - 1 / double(others + 2);
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

bool is_two_thirds(size_t count, size_t all) {
  return count * 3 >= all * 2;
}

// Returns the devices of one name of all hosts as groups of their own where the names differ by design: two
// thirds of each group agree, and all of a group that does not agree with most. A port for management is no
// peer of those of the fabric. Else returns one group.
std::vector<std::vector<Peer>> by_device(const std::vector<Peer>& peers) {
  std::map<std::string, std::vector<Peer>> groups;
  for (const Peer& peer : peers)
    groups[peer.subject.device].push_back(peer);
  std::map<std::string, size_t> members;  // of the groups that share a value
  std::set<std::string> divided;          // values of groups in which not all agree
  for (const auto& [device, group] : groups) {
    size_t count = 0;
    const Peer* most = group.size() < 2 ? nullptr : majority(group, count);
    if (!most || !is_two_thirds(count, group.size()))
      return {peers};
    members[most->text] += group.size();
    if (count < group.size())
      divided.insert(most->text);
  }
  const auto usual = std::ranges::max_element(members, {}, &std::pair<const std::string, size_t>::second);
  divided.erase(usual == members.end() ? "" : usual->first);
  if (members.size() < 2 || !divided.empty())
    return {peers};
  std::vector<std::vector<Peer>> out;
  for (auto& [device, group] : groups)
    out.push_back(std::move(group));
  return out;
}

// Judges the peers of one quantity by outliers or by the majority, and returns whether they were judged.
bool judge_peers(
    const Records& records,
    const Quantity& quantity,
    const std::vector<Peer>& peers,
    const Limits& limits,
    Judgement& out) {
  if (peers.size() < kFewestStatePeers)
    return false;
  size_t count = 0;
  const bool is_shared = majority(peers, count) && is_two_thirds(count, peers.size());
  const bool is_vote = !all_numbers(peers) || (is_shared && quantity.kind != Kind::Counter);
  const size_t before = out.findings.size();
  if (is_vote)
    vote(records, quantity, peers, limits, out);
  else
    compare(records, quantity, peers, limits, out);
  // The values of kFewestStatePeers (three) peers that all differ give no estimate of a healthy spread, so
  // that they are not judged.
  return is_vote || peers.size() > kFewestStatePeers || is_shared || out.findings.size() > before;
}

// Judges one quantity by expected values or among peers.
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
    out.covered.push_back(
        quantity.name + " of " + std::to_string(peers.size()) + (peers.size() == 1 ? " part" : " parts"));
    return;
  }
  const std::vector<Peer> hosts = by_end(quantity, peers);
  const size_t before = out.findings.size();
  // The pairs themselves are compared where no host explains them: the link between two hosts may be slow.
  const bool is_of_hosts = judge_peers(records, quantity, hosts, limits, out);
  peers = by_host(peers);
  if (is_of_hosts && out.findings.size() > before) {
    out.covered.push_back(quantity.name + " of " + std::to_string(hosts.size()) + " hosts, in pairs");
    return;
  }
  const std::vector<std::vector<Peer>> groups = by_device(peers);
  const Limits each{limits.false_alarms / double(groups.size()), limits.least_effect};
  bool is_judged = false;
  for (const std::vector<Peer>& group : groups)
    is_judged = judge_peers(records, quantity, group, each, out) || is_judged;
  if (is_judged)
    out.covered.push_back(
        quantity.name + " of " + std::to_string(peers.size()) +
        (peers[0].subject.device.empty() ? " hosts" : " parts"));
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

}  // namespace

// Judges states of parts, such as link speeds and versions.
void judge_states(const Records& records, const JudgeOptions& options, Judgement& out) {
  SeriesByQuantity by_quantity;
  SeriesByQuantity unknown;
  SeriesByQuantity loads;
  for (const Series& series : records.series())
    if (records.quantities()[series.quantity].is_load && !series.rows.empty() && series.rows[0].is_state())
      loads[series.quantity].push_back(&series);
  const std::set<Subject> light = less_loaded(records, loads);
  for (const Series& series : records.series()) {
    const Quantity& quantity = records.quantities()[series.quantity];
    if (quantity.needs_load && light.contains(records.subjects()[series.subject]))
      continue;
    const bool is_judged = quantity.better != Better::Neither && quantity.kind != Kind::Annotation;
    if (is_judged && quantity.scope == Scope::Own && !series.rows.empty() && series.rows[0].is_state())
      by_quantity[series.quantity].push_back(&series);
    if (quantity.better == Better::Neither && quantity.group.starts_with(kUnreadGroup) &&
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
  if (out.findings.size() == found) {
    question_unknown(records, unknown, by_quantity.size(), options, out);
    question_loads(records, loads, options, out);
    note_idle(records, out);
  }
  const std::vector<std::string> own = merged(out.covered);
  out.covered = std::move(before);
  out.covered.insert(out.covered.end(), own.begin(), own.end());
}

}  // namespace lento::desk
