// Judges the events about hardware, nodes and programs; is_of_another_judge() lists the others. For each
// part, the most severe event names the fault, the earliest one among equally severe ones, and the rest are
// listed before or after it. A consequence (a channel that was torn down, a reset) names the fault only when
// no other event is as severe. Events of Severity::Note alone are no finding.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

using Chain = std::vector<const Event*>;  // the events of one part in order of time

bool is_of_another_judge(const Event& event) {
  constexpr std::array<std::string_view, 5> kOthers{"collective/", "peer/", "unread/", "progress/", "stack/"};
  return is_ending(event) || std::ranges::any_of(kOthers, [&](std::string_view kind) {
           return event.kind.starts_with(kind);
         });
}

bool earlier(const Event* a, const Event* b) {
  if (a->time.clock == b->time.clock && a->time.seconds != b->time.seconds)
    return a->time.seconds < b->time.seconds;
  return std::pair(a->where.file, a->where.line) < std::pair(b->where.file, b->where.line);
}

// Returns the category of a finding by the origin of its event.
const char* origin_text(Origin origin) {
  switch (origin) {
    case Origin::Hardware:
      return "faulty hardware";
    case Origin::Link:
      return "faulty link";
    case Origin::Program:
      return "fault of a program";
    case Origin::Operator:
      return "fault of a service";
    case Origin::Consequence:
      return "consequence of something not in these files";
    default:
      return "fault of hardware or a program";
  }
}

// Returns the most severe event of a part, which names the fault. Earlier events show when it began.
const Event& worst_of(const Chain& chain) {
  const auto weight = [](const Event* event) {
    return std::pair(event->severity, event->origin != Origin::Consequence);
  };
  return **std::ranges::max_element(chain, {}, weight);
}

// Returns whether an event is about the machine itself, as its kernel and its management controller report
// it. When it names no part and no host, it is about the host that the file is from, and not about the job.
bool is_of_machine(const Event& event) {
  constexpr std::array<std::string_view, 9>
      kOfMachine{"kernel/", "ipmi/", "ghes/", "mce/", "edac/", "cpu/", "task/", "memory/", "storage/"};
  return std::ranges::any_of(kOfMachine, [&](std::string_view kind) {
    return event.kind.starts_with(kind);
  });
}

// Returns the finding for the events of one part.
finding::Finding finding_of(const Records& records, const Subject& part, const Chain& chain) {
  const Event& worst = worst_of(chain);
  finding::Finding finding;
  finding.subject = part.empty() && is_of_machine(worst)
                        ? "the host of " + records.files[size_t(worst.where.file)].path
                        : subject_text(part);
  finding.category = origin_text(worst.origin);
  finding.summary = finding.subject + ": " + worst.meaning;
  std::vector<std::string> before;
  std::vector<std::string> after;
  for (const Event* event : chain) {
    if (event->kind == worst.kind || event->severity == Severity::Note)
      continue;
    auto& list = earlier(event, &worst) ? before : after;
    if (std::ranges::find(list, event->meaning) == list.end())
      list.push_back(event->meaning);
  }
  if (const std::string at = moment_text(worst.time); !at.empty())
    finding.summary += ", " + at;
  if (!before.empty())
    finding.summary += ", after " + list_text(before);
  if (!after.empty())
    finding.summary += "; " + list_text(after) + " followed";
  // A fault of hardware precedes an equally severe one of a program, because programs fail because of
  // hardware.
  constexpr double kBehind = 0.01;
  const bool is_program = worst.origin == Origin::Program || worst.origin == Origin::Consequence;
  finding.score = (worst.severity == Severity::Fault ? 0.9 : 0.6) - (is_program ? kBehind : 0);
  finding.where = place_of(part);
  if (worst.time.clock == Clock::Unix)
    finding.when = finding::TimeWindow{chain.front()->time.seconds, chain.back()->time.seconds, "s"};
  constexpr size_t kMostQuoted = 6;
  for (size_t i = 0; i < chain.size() && i < kMostQuoted; ++i)
    finding.evidence.push_back(quoted(records, *chain[i]));
  finding.next_step = worst.action;
  return finding;
}

// Returns the kinds of states of reports (desk/general) that more than half of the hosts, and at least three,
// are in: the meaning of such a word or flag is inferred, and a state of most hosts is no deviation.
std::set<std::string> states_of_most(const Records& records) {
  std::set<std::string> hosts;
  for (const Subject& subject : records.subjects())
    if (!subject.host.empty())
      hosts.insert(subject.host);
  std::map<std::string, std::set<std::string>> by_kind;
  for (const Event& event : records.events()) {
    if (!event.subject.host.empty())
      hosts.insert(event.subject.host);
    if (event.kind.starts_with("state/"))
      by_kind[event.kind].insert(event.subject.host);
  }
  constexpr size_t kFewestHosts = 3;
  std::set<std::string> kinds;
  for (const auto& [kind, own] : by_kind)
    if (own.size() >= kFewestHosts && own.size() * 2 > hosts.size())
      kinds.insert(kind);
  return kinds;
}

// Returns the servers that do not answer two hosts or more. The fault is theirs, not that of the hosts that
// wait.
std::set<std::string> servers_of_several(const Records& records) {
  std::map<std::string, std::set<std::string>> hosts;
  for (const Event& event : records.events())
    if (const std::string& server = field(event, "server"); !server.empty())
      hosts[server].insert(event.subject.host);
  std::set<std::string> servers;
  for (const auto& [server, own] : hosts)
    if (own.size() > 1)
      servers.insert(server);
  return servers;
}

}  // namespace

// Adds a finding for each part with an event above Severity::Note, and a note for each other part with
// events.
void judge_events(const Records& records, const JudgeOptions&, Judgement& out) {
  std::map<std::pair<Subject, int32_t>, Chain> chains;  // of a part, or of the unnamed host of a file
  size_t seen = 0;
  const std::set<std::string> common = states_of_most(records);
  const std::set<std::string> servers = servers_of_several(records);
  for (const std::string& kind : common)
    out.open.push_back(
        {"most hosts state that " + kind.substr(kind.find('/') + 1) + ", which may be how they are set up",
         "the same of a host that is known to be healthy"});
  for (const Event& event : records.events()) {
    if (is_of_another_judge(event) || common.contains(event.kind))
      continue;
    ++seen;
    const bool is_unnamed = event.subject.empty() && is_of_machine(event);
    const std::string& server = field(event, "server");
    const Subject part = servers.contains(server) ? Subject{server, "", ""} : event.subject;
    chains[{part, is_unnamed ? event.where.file : -1}].push_back(&event);
  }
  for (auto& [part, chain] : chains) {
    const Subject& subject = part.first;
    std::ranges::stable_sort(chain, earlier);
    const bool is_fault = std::ranges::any_of(chain, [](const Event* event) {
      return event->severity != Severity::Note;
    });
    if (is_fault) {
      out.findings.push_back(finding_of(records, subject, chain));
      continue;
    }
    constexpr size_t kMostNotes = 20;
    if (out.notes.size() < kMostNotes)
      out.notes.push_back(
          subject_text(subject) + ": " + chain[0]->meaning + " (" + place_text(records, chain[0]->where) +
          "), which alone is no fault");
  }
  if (seen > 0)
    out.covered.push_back(
        "events of " + std::to_string(chains.size()) + (chains.size() == 1 ? " part" : " parts"));
}

}  // namespace lento::desk
