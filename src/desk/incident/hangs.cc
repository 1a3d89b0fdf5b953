// Hangs: the rank that has not arrived. In each process group all ranks enqueue the same sequence of
// collectives. The group hangs in the earliest one that timed out, and a rank whose queue ends before it has
// not arrived. Ranks that are further are not at fault. A rank that is missing in one group and itself waits
// in another is a link of a chain: the chain is followed to ranks that wait for nobody.
//
// When every rank has enqueued the collective, none is late: either they disagree on what it is (the odd one
// is named), or the transport below it is stuck, and the log cannot name a part.
#include <algorithm>
#include <map>
#include <set>

#include "base/number.h"
#include "base/units.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

struct RankState {
  Subject subject;
  std::optional<int64_t> enqueued;
  std::optional<int64_t> completed;
  std::optional<int64_t> waits_for;  // sequence number of the rank's first collective that timed out
  const Event* timeout = nullptr;
  const Event* progress = nullptr;
};

using Group = std::map<std::string, RankState>;  // by rank

constexpr const char* kFlight =
    "the flight recorder of every rank (TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1), and "
    "the "
    "stacks of that rank (py-spy dump --pid PID)";

// Collects timeouts and progress of ranks by process group.
std::map<std::string, Group> groups_of(const Records& records) {
  std::map<std::string, Group> groups;
  for (const Event& event : records.events()) {
    const bool is_timeout = event.kind == "collective/timeout";
    if ((!is_timeout && event.kind != "collective/progress") || event.subject.rank.empty())
      continue;
    RankState& rank = groups[field(event, "group")][event.subject.rank];
    rank.subject = event.subject;
    if (is_timeout) {
      const auto seq = base::try_int(field(event, "seq"));
      if (!rank.timeout || (seq && rank.waits_for && *seq < *rank.waits_for)) {
        rank.timeout = &event;
        rank.waits_for = seq;
      }
    } else if (const auto enqueued = base::try_int(field(event, "enqueued"))) {
      if (!rank.enqueued || *enqueued > *rank.enqueued) {
        rank.enqueued = enqueued;
        rank.completed = base::try_int(field(event, "completed"));
        rank.progress = &event;
      }
    }
  }
  return groups;
}

// Fills what `to` lacks from another record of the same rank.
void merge(const RankState& state, RankState& to) {
  to.subject = state.subject;
  if (state.timeout && !to.timeout) {
    to.timeout = state.timeout;
    to.waits_for = state.waits_for;
  }
  if (state.enqueued && !to.enqueued) {
    to.enqueued = state.enqueued;
    to.completed = state.completed;
    to.progress = state.progress;
  }
}

// Joins groups that logs name differently: one log uses the group's address ("0 0(default_pg)"), another its
// number ("0").
void join_groups(std::map<std::string, Group>& groups) {
  for (auto at = groups.begin(); at != groups.end();) {
    const std::string number = at->first.substr(0, at->first.find(' '));
    std::vector<std::string> longer;
    for (const auto& [name, group] : groups)
      if (name.starts_with(number + " "))
        longer.push_back(name);
    if (at->first != number || longer.size() != 1) {
      ++at;
      continue;
    }
    for (auto& [rank, state] : at->second)
      merge(state, groups[longer[0]][rank]);
    at = groups.erase(at);
  }
}

// Timeouts that do not state their group belong to the one group in which all of these ranks had enqueued
// that operation and not completed it. Without such a group they are a group of their own.
void place_unstated(std::map<std::string, Group>& groups) {
  const auto unstated = groups.find("");
  if (unstated == groups.end() || groups.size() == 1)
    return;
  std::vector<std::string> fitting;
  for (const auto& [name, group] : groups) {
    const bool fits = std::ranges::all_of(unstated->second, [&, &ranks = group](const auto& one) {
      const auto at = ranks.find(one.first);
      return at != ranks.end() && (!one.second.waits_for || at->second.enqueued >= one.second.waits_for);
    });
    if (!name.empty() && fits)
      fitting.push_back(name);
  }
  if (fitting.size() != 1)
    return;
  for (auto& [rank, state] : unstated->second)
    merge(state, groups[fitting[0]][rank]);
  groups.erase(unstated);
}

// Formats a number of elements with three digits. A text that is no number stays unchanged.
std::string elements_text(const std::string& elements) {
  const bool is_number = !elements.empty() && elements.size() < 18 &&
                         elements.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? base::format_measure(base::parse_double(elements, {}), "elements")
                   : elements + " elements";
}

std::string operation_text(const Event& timeout) {
  const std::string& elements = field(timeout, "elements");
  std::string text = "operation " + field(timeout, "seq") + " (" + field(timeout, "op");
  if (!elements.empty())
    text += ", " + elements_text(elements);
  return text + ")";
}

struct Hang {
  std::string group;
  int64_t seq = 0;
  const Event* first = nullptr;  // the timeout that names the operation
  std::vector<const RankState*> late;
  std::vector<const RankState*> waiting;
  size_t unknown = 0;                   // ranks without a line about their queue
  std::vector<const RankState*> ahead;  // ranks that completed the operation in which others are stuck
};

// Returns the operation that a group hangs in, or nothing.
std::optional<Hang> hang_of(const std::string& name, const Group& group) {
  Hang hang;
  hang.group = name;
  for (const auto& [rank, state] : group)
    if (state.timeout && (!hang.first || (state.waits_for && *state.waits_for < hang.seq))) {
      hang.first = state.timeout;
      hang.seq = state.waits_for.value_or(0);
    }
  if (!hang.first)
    return std::nullopt;
  for (const auto& [rank, state] : group) {
    if (state.waits_for && *state.waits_for >= hang.seq)
      hang.waiting.push_back(&state);
    else if (state.enqueued && *state.enqueued < hang.seq)
      hang.late.push_back(&state);
    else if (!state.enqueued && !state.timeout)
      ++hang.unknown;
    if (state.completed && *state.completed >= hang.seq)
      hang.ahead.push_back(&state);
  }
  return hang;
}

// Returns whether the rank waits in a hang of another group, which explains its absence here.
bool waits_elsewhere(const std::vector<Hang>& hangs, const Hang& here, const std::string& rank) {
  return std::ranges::any_of(hangs, [&](const Hang& other) {
    return other.group != here.group && !other.late.empty() &&
           std::ranges::any_of(other.waiting, [&](const RankState* state) {
             return state->subject.rank == rank;
           });
  });
}

// Adds the findings for ranks that are stuck in an operation that all others completed: the data of these
// ranks had arrived, and they never went on to the next one.
void accuse_stuck(const Records& records, const Hang& hang, Judgement& out) {
  for (const RankState* state : hang.waiting) {
    if (state->waits_for != hang.seq)
      continue;
    finding::Finding finding;
    finding.subject = subject_text(state->subject);
    finding.category = "hang: a rank is stuck in a collective";
    finding.summary = finding.subject + " is stuck in " + operation_text(*hang.first) + ", which " +
                      std::to_string(hang.ahead.size()) +
                      (hang.ahead.size() == 1 ? " other rank" : " other ranks") + " completed";
    finding.score = 0.9;
    finding.where = place_of(state->subject);
    finding.evidence = {quoted(records, *state->timeout), quoted(records, *hang.ahead[0]->progress)};
    finding.next_step =
        "look at the stacks of " + finding.subject +
        " (py-spy dump --pid PID), at its GPU (nvidia-smi -q) and at the kernel log of its host";
    out.findings.push_back(std::move(finding));
  }
}

// Adds the finding for a rank that has not arrived at the operation.
void accuse(const Records& records, const Hang& hang, const RankState& late, Judgement& out) {
  finding::Finding finding;
  finding.subject = subject_text(late.subject);
  finding.category = "hang: a rank has not arrived";
  const std::string others = std::to_string(hang.waiting.size());
  finding.summary = finding.subject + " never enqueued " + operation_text(*hang.first) + ", " + others +
                    (hang.waiting.size() == 1 ? " other rank" : " other ranks") + " waited for it";
  finding.score = 0.95;
  finding.where = place_of(late.subject);
  if (late.progress)
    finding.evidence.push_back(quoted(records, *late.progress));
  finding.evidence.push_back(quoted(records, *hang.first));
  finding.evidence.push_back(
      {"ranks that timed out in that operation", double(hang.waiting.size()), "ranks", "watchdog lines"});
  finding.next_step = "look at what " + finding.subject +
                      " did instead: its stacks (py-spy dump --pid PID), its log " +
                      "before the timeout, the kernel log of its host";
  out.findings.push_back(std::move(finding));
}

// Reports the ranks whose operation with the same sequence number differs from that of the majority.
void judge_mismatch(const Records& records, const Hang& hang, Judgement& out) {
  std::map<std::string, std::vector<const RankState*>> kinds;
  for (const RankState* state : hang.waiting)
    if (state->waits_for == hang.seq)
      kinds[field(*state->timeout, "op") + " of " + field(*state->timeout, "elements") + " elements"]
          .push_back(state);
  if (kinds.size() < 2)
    return;
  const auto most = std::ranges::max_element(kinds, {}, [](const auto& kind) {
    return kind.second.size();
  });
  for (const auto& [kind, states] : kinds) {
    if (kind == most->first || states.size() * 2 >= most->second.size() + states.size())
      continue;
    for (const RankState* state : states) {
      finding::Finding finding;
      finding.subject = subject_text(state->subject);
      finding.category = "hang: ranks call different collectives";
      finding.summary = finding.subject + " called " + kind + " as operation " + std::to_string(hang.seq) +
                        " where " + std::to_string(most->second.size()) + " ranks called " + most->first;
      finding.score = 0.9;
      finding.where = place_of(state->subject);
      finding.evidence = {quoted(records, *state->timeout), quoted(records, *most->second[0]->timeout)};
      finding.next_step = "the program takes another branch on that rank: compare its stack with a peer's";
      out.findings.push_back(std::move(finding));
    }
  }
}

// Returns the rank numbers that are missing among the ranks that wrote a line.
std::vector<std::string> silent_ranks(const Group& group) {
  std::set<int64_t> known;
  for (const auto& [rank, state] : group)
    if (const auto number = base::try_int(rank); number && *number >= 0 && *number < 1'000'000)
      known.insert(*number);
  std::vector<std::string> silent;
  for (int64_t i = 0; !known.empty() && i < *known.rbegin() && silent.size() < 1000; ++i)
    if (!known.contains(i))
      silent.push_back("rank " + std::to_string(i));
  return silent;
}

// Concludes on a hang in which no rank is late: mismatched operations, silent ranks, or undecided.
void nobody_late(const Records& records, const Hang& hang, const Group& group, Judgement& out) {
  const size_t before = out.findings.size();
  const auto stuck = std::ranges::count_if(hang.waiting, [&](const RankState* state) {
    return state->waits_for == hang.seq;
  });
  if (!hang.ahead.empty() && size_t(stuck) + hang.ahead.size() == group.size())
    accuse_stuck(records, hang, out);
  else
    judge_mismatch(records, hang, out);
  if (out.findings.size() > before)
    return;
  const std::vector<std::string> silent = silent_ranks(group);
  const std::string where = "the job hangs in " + operation_text(*hang.first);
  if (!silent.empty())
    out.open.push_back(
        {where + ", and nothing here is from " + list_text(silent),
         "the logs of " + list_text(silent) + ", and the kernel log of its host (dmesg -T)"});
  else if (hang.waiting.size() < 2)
    out.open.push_back(
        {where + "; the log of one rank does not show which other rank has not arrived",
         "the logs of all ranks, or " + std::string(kFlight)});
  else
    out.open.push_back(
        {where + ", which all " + std::to_string(group.size()) +
             " ranks in these files had enqueued: the transport is stuck, or a rank without a log has not "
             "arrived",
         "the logs of all other ranks, if the job has more than " + std::to_string(group.size()) +
             "; NCCL's RAS answer while it hangs (ncclras -v), the kernel logs and port counters of all "
             "hosts"});
}

}  // namespace

// Adds an open question about ranks whose watchdogs made no progress, when no line names the operation that
// they wait in.
void question_stuck(const Records& records, Judgement& out) {
  std::set<std::string> ranks;
  const Event* first = nullptr;
  for (const Event& event : records.events())
    if (event.kind == "collective/watchdog stuck") {
      first = first ? first : &event;
      ranks.insert(subject_text(event.subject));
    }
  if (first)
    out.open.push_back(
        {"the watchdog of " + list_text({ranks.begin(), ranks.end()}) +
             " made no progress: a call into CUDA or the interpreter's lock hangs there, and no line states "
             "which operation they wait in (" +
             place_text(records, first->where) + ")",
         std::string(kFlight)});
}

// Judges hangs by the operations that each rank waits for.
void judge_hangs(const Records& records, const JudgeOptions&, Judgement& out) {
  std::map<std::string, Group> groups = groups_of(records);
  join_groups(groups);
  place_unstated(groups);
  std::vector<Hang> hangs;
  for (const auto& [name, group] : groups) {
    out.covered.push_back(
        "collectives of " + std::to_string(group.size()) + " ranks" +
        (name.empty() ? "" : " in group " + name));
    if (auto hang = hang_of(name, group))
      hangs.push_back(std::move(*hang));
  }
  if (hangs.empty())
    question_stuck(records, out);
  for (const Hang& hang : hangs) {
    if (hang.late.empty()) {
      const bool explained = std::ranges::any_of(hangs, [&](const Hang& other) {
        return !other.late.empty();
      });
      if (!explained)
        nobody_late(records, hang, groups[hang.group], out);
      continue;
    }
    for (const RankState* late : hang.late)
      if (!waits_elsewhere(hangs, hang, late->subject.rank))
        accuse(records, hang, *late, out);
  }
}

}  // namespace lento::desk
