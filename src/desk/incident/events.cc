// Judges the events about hardware, nodes and programs; is_of_another_judge() lists the others. For each
// part, the most severe event names the fault, the earliest one among equally severe ones, and the rest are
// listed before or after it. A consequence (a channel that was torn down, a reset) names the fault only when
// no other event is as severe. Events of Severity::Note alone are no finding.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

using Chain = std::vector<const Event*>;                      // the events of one part in order of time
using Chains = std::map<std::pair<Subject, int32_t>, Chain>;  // of a part, or of the unnamed host of a file

bool is_of_another_judge(const Event& event) {
  constexpr std::array<std::string_view, 6>
      kOthers{"collective/", "peer/", "unread/", "progress/", "stack/", "gpu/no job"};
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
  constexpr std::array<std::string_view, 11> kOfMachine{
      "dcgm/",
      "nvrm/",
      "kernel/",
      "ipmi/",
      "ghes/",
      "mce/",
      "edac/",
      "cpu/",
      "task/",
      "memory/",
      "storage/"};
  return std::ranges::any_of(kOfMachine, [&](std::string_view kind) {
    return event.kind.starts_with(kind);
  });
}

// Returns whether the last event of a part is more than a day older than the newest record of its clock. A
// fault without an event for a day may have been mended, so that what is seen now comes first.
bool is_past(const Records& records, const Chain& chain) {
  constexpr double kDay = 86400;
  return std::ranges::all_of(chain, [&](const Event* event) {
    const Moment& time = event->time;
    const bool is_date = time.clock == Clock::Unix || time.clock == Clock::Yearless;
    return is_date && time.seconds + kDay < records.newest(time.clock);
  });
}

// Returns the finding for the events of one part. The time of a program's fault in seconds after boot may be
// that of any earlier program.
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
  const bool is_present = worst.severity == Severity::Fault && !is_past(records, chain) &&
                          !(is_program && worst.time.clock == Clock::Boot);
  finding.score = (is_present ? 0.9 : 0.6) - (is_program ? kBehind : 0);
  finding.where = place_of(part);
  for (const Event* event : chain) {
    if (event->time.clock != Clock::Unix)
      continue;
    const double at = event->time.seconds;
    finding.when = finding::TimeWindow{finding.when ? finding.when->begin : at, at, "s"};
  }
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

// Returns the part that an event is about: the server where several hosts wait for it.
Subject part_of(const Event& event, const std::set<std::string>& servers) {
  const std::string& server = field(event, "server");
  return servers.contains(server) ? Subject{server, "", ""} : event.subject;
}

// Returns the later event of the same part by which what an event lost answered again, or nullptr.
const Event* answer_to(const Event& event, const Chain& chain) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAnswers{
      {{"slurm/not responding", "slurm/responding"},
       {"mlx5/unplugged", "mlx5/plugged"},
       {"storage/nfs", "storage/nfs answers"},
       {"kernel/the connection to a file server was lost",
        "kernel/the connection to a file server was restored"}}};
  const auto* const known = std::ranges::find(kAnswers, event.kind, [](const auto& one) {
    return one.first;
  });
  if (known == kAnswers.end())
    return nullptr;
  const auto at = std::ranges::find_if(chain, [&](const Event* other) {
    return other->kind == known->second && earlier(&event, other) && other->subject == event.subject &&
           field(*other, "mount") == field(event, "mount") &&
           (!field(event, "mount").empty() || field(event, "server").empty() ||
            field(*other, "server") == field(event, "server"));
  });
  return at == chain.end() ? nullptr : *at;
}

// Returns whether an event is above Severity::Note and was not over before the job began. A program that
// failed before the first step was another one, and a node that its scheduler took out before is not of the
// job. What answered again is a note.
bool is_open(const Event& event, const Chain& chain, double job_begin) {
  if (event.severity == Severity::Note)
    return false;
  const bool is_of_scheduler = event.kind.starts_with("slurm/") || event.kind.starts_with("kubernetes/");
  if (is_of_scheduler && event.time.clock == Clock::Unix && event.time.seconds < job_begin)
    return false;
  if (answer_to(event, chain))
    return false;
  const bool is_of_program = event.origin == Origin::Program || event.origin == Origin::Consequence;
  return !is_of_program || event.time.clock != Clock::Unix || !(event.time.seconds < job_begin);
}

// Gives the events of the GPUs of a host to the host when one kind of fault is the worst of each of them, and
// there are at least three.
void join_on_hosts(const Records& records, Chains& chains) {
  constexpr size_t kFewestGpus = 3;
  std::map<std::string, std::set<std::string>> gpus;
  for (const Subject& subject : records.subjects())
    if (!subject.host.empty() && subject.device.starts_with("gpu"))
      gpus[subject.host].insert(subject.device);
  std::map<std::pair<std::string, std::string>, std::map<std::string, Chain>>
      faults;  // by host, kind and GPU
  for (const auto& [part, chain] : chains)
    if (const Event& worst = worst_of(chain); worst.severity != Severity::Note)
      faults[{part.first.host, worst.kind}].try_emplace(part.first.device, chain);
  for (const auto& [key, parts] : faults) {
    const auto of_host = gpus.find(key.first);
    if (of_host == gpus.end() || of_host->second.size() < kFewestGpus ||
        !std::ranges::equal(of_host->second, parts, {}, {}, &std::pair<const std::string, Chain>::first))
      continue;
    Chain& host = chains[{Subject{key.first, "", ""}, -1}];
    for (const auto& [device, chain] : parts)
      host.insert(host.end(), chain.begin(), chain.end());
    std::erase_if(chains, [&](const auto& one) {
      const Subject& subject = one.first.first;
      return subject.host == key.first && parts.contains(subject.device);
    });
  }
}

// Adds a note for each kind of events that are no fault, with the parts that had them.
void add_notes(
    const Records& records,
    const std::map<std::string, std::vector<std::pair<Subject, const Event*>>>& by_kind,
    double job_begin,
    Judgement& out) {
  for (const auto& [kind, parts] : by_kind) {
    const Event& first = *parts[0].second;
    const std::string others = parts.size() > 1 ? " and " + std::to_string(parts.size() - 1) + " more" : "";
    const bool was_fault = first.severity != Severity::Note;
    const bool was_before = first.time.clock == Clock::Unix && first.time.seconds < job_begin;
    const std::string at = moment_text(first.time);
    out.notes.push_back(
        subject_text(parts[0].first) + others + ": " + first.meaning +
        (was_fault && !at.empty() ? ", " + at : "") + " (" + place_text(records, first.where) + "), " +
        (!was_fault   ? "which alone is no fault"
         : was_before ? "before the job's first step"
                      : "and later it answered again"));
  }
}

}  // namespace

std::optional<finding::TimeWindow> span_of_job(const Records& records) {
  std::optional<finding::TimeWindow> span;
  for (const Series& series : records.series()) {
    if (records.quantities()[series.quantity].scope != Scope::Job)
      continue;
    for (const Observation& row : series.rows) {
      if (row.is_state() || row.time.clock != Clock::Unix)
        continue;
      const double at = row.time.seconds;
      span = finding::TimeWindow{
          span ? std::min(span->begin, at) : at,
          span ? std::max(span->end, at) : at,
          "s"};
    }
  }
  return span;
}

bool has_course_of_job(const Records& records) {
  constexpr size_t kFewestSamples = 8;
  return std::ranges::any_of(records.series(), [&](const Series& series) {
    return records.quantities()[series.quantity].scope == Scope::Job && series.rows.size() >= kFewestSamples;
  });
}

// Returns how many GPUs have an event like this one at a time that `is_near`, when they are more than half of
// those of all hosts: it is then that of no single one. Otherwise returns 1.
size_t
gpus_with(const Records& records, const Event& event, const std::function<bool(const Event&)>& is_near) {
  std::set<Subject> all;
  for (const Series& series : records.series())
    if (const Subject& subject = records.subjects()[series.subject]; subject.device.starts_with("gpu"))
      all.insert(subject);
  std::set<Subject> own;
  for (const Event& other : records.events())
    if (other.kind == event.kind && other.meaning == event.meaning && all.contains(other.subject) &&
        is_near(other))
      own.insert(other.subject);
  return own.size() * 2 > all.size() ? own.size() : 1;
}

std::optional<finding::Finding> part_with_event_at(const Records& records, double moment) {
  const std::optional<finding::TimeWindow> span = span_of_job(records);
  const std::set<std::string> servers = servers_of_several(records);
  const Event* nearest = nullptr;
  std::set<std::pair<Subject, std::string>> moments;
  const auto apart = [&](const Event& event) {
    return std::abs(event.time.seconds - moment);
  };
  for (const Event& event : records.events()) {
    const bool is_timed = event.time.clock == Clock::Unix && span && event.time.seconds >= span->begin;
    if (!is_timed || is_of_another_judge(event) || event.subject.empty())
      continue;
    moments.emplace(part_of(event, servers), event.kind);
    if (!nearest || apart(event) < apart(*nearest))
      nearest = &event;
  }
  if (!nearest)
    return std::nullopt;
  auto evidence = nearness(apart(*nearest), moments.size(), span);
  if (!evidence)
    return std::nullopt;
  const Subject subject = part_of(*nearest, servers);
  Chain chain{nearest};
  for (const Event& event : records.events())
    if (&event != nearest && event.kind == nearest->kind && subject != nearest->subject &&
        part_of(event, servers) == subject)
      chain.push_back(&event);
  finding::Finding part = finding_of(records, subject, chain);
  const auto is_near = [&](const Event& event) {
    return event.time.clock == Clock::Unix && nearness(apart(event), moments.size(), span);
  };
  if (const size_t gpus = gpus_with(records, *nearest, is_near); gpus > 1) {
    part.subject = std::to_string(gpus) + " GPUs";
    part.summary = part.subject + ": " + nearest->meaning + ", " + moment_text(nearest->time);
    part.where.reset();
  }
  part.evidence.push_back(*std::move(evidence));
  return part;
}

// Adds a finding for each part with an event above Severity::Note that was not over before the job began, and
// notes for the other parts with events.
void judge_events(const Records& records, const JudgeOptions&, Judgement& out) {
  Chains chains;
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
    chains[{part_of(event, servers), is_unnamed ? event.where.file : -1}].push_back(&event);
  }
  join_on_hosts(records, chains);
  const std::optional<finding::TimeWindow> span = span_of_job(records);
  const double job_begin = span ? span->begin : kUnknown;
  std::map<std::string, std::vector<std::pair<Subject, const Event*>>> notes;
  for (auto& [part, chain] : chains) {
    const Subject& subject = part.first;
    std::ranges::stable_sort(chain, earlier);
    Chain open;
    std::ranges::copy_if(chain, std::back_inserter(open), [&](const Event* event) {
      return event->severity == Severity::Note || is_open(*event, chain, job_begin);
    });
    const auto is_fault = [](const Event* event) {
      return event->severity != Severity::Note;
    };
    if (std::ranges::any_of(open, is_fault)) {
      out.findings.push_back(finding_of(records, subject, open));
      continue;
    }
    const Event* first = *std::ranges::max_element(chain, {}, is_fault);
    notes[first->kind].emplace_back(subject, first);
  }
  add_notes(records, notes, job_begin, out);
  if (seen > 0)
    out.covered.push_back(
        "events of " + std::to_string(chains.size()) + (chains.size() == 1 ? " part" : " parts"));
}

}  // namespace lento::desk
