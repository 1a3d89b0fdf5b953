// Judges the answers of NCCL's RAS service: processes that do not answer, and the number of operations that
// each rank of a communicator has launched.
//
// A process that does not answer is stopped, dead or disconnected and blocks all others, so it is reported
// first, and ranks that are behind are waiting for it. When all processes answer, the ranks with the fewest
// launched operations block the others.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

struct Count {
  int64_t last = 0;  // number of the last launched operation
  int64_t ranks = 0;
  const Event* event = nullptr;
  std::vector<const Event*> members;
};
using Communicator = std::pair<std::string, std::string>;  // hash of the communicator, and the operation
using Counts = std::map<Communicator, std::vector<Count>>;

// Returns how many operations each process has enqueued, by communicator and operation.
Counts counts_of(const Records& records) {
  Counts all;
  for (const Event& event : records.events()) {
    if (!event.kind.starts_with("collective/count"))
      continue;
    auto& counts = all[{field(event, "group"), field(event, "op")}];
    const int64_t last = base::try_int(field(event, "enqueued")).value_or(0);
    auto at = std::ranges::find(counts, last, &Count::last);
    if (at == counts.end())
      at = counts.insert(counts.end(), Count{last, 0, &event, {}});
    if (event.kind == "collective/count")
      at->ranks = base::try_int(field(event, "ranks")).value_or(0);
    else
      at->members.push_back(&event);
  }
  for (auto& [key, counts] : all)
    std::ranges::sort(counts, {}, &Count::last);
  return all;
}

// Returns the finding for a process that does not answer.
finding::Finding silent_finding(const Records& records, const Event& event, const Counts& all) {
  finding::Finding finding;
  finding.subject = subject_text(event.subject);
  finding.category = "hang: a process does not answer";
  const std::string& pid = field(event, "pid");
  const std::string& gpu = field(event, "gpu");
  const std::string place = gpu.starts_with("gpu") ? "GPU " + gpu.substr(3) : "";
  const std::string process = pid.empty() ? "" : (place.empty() ? "process " : ", process ") + pid;
  const std::string inside = place + process;
  finding.summary = finding.subject + (inside.empty() ? "" : " (" + inside + ")") +
                    (field(event, "dead").empty() ? " does not answer" : " is dead: it does not answer");
  finding.score = 0.95;
  finding.where = place_of(event.subject);
  finding.evidence = {quoted(records, event)};
  for (const auto& [communicator, counts] : all) {
    for (const Event* member : counts.size() < 2 ? std::vector<const Event*>() : counts.front().members) {
      finding.summary += "; " + subject_text(member->subject) + " is behind and waits for it";
      finding.evidence.push_back(quoted(records, *member));
    }
  }
  finding.next_step = "look at that process (ps, py-spy dump --pid " + (pid.empty() ? "PID" : pid) +
                      "), at the kernel log of its host and at its GPU (nvidia-smi there)";
  return finding;
}

// Adds a finding for each process that has enqueued fewer operations than the others.
void judge_behind(
    const Records& records,
    const Communicator& communicator,
    const std::vector<Count>& counts,
    Judgement& out) {
  constexpr const char* kFlight =
      "the flight recorder of every rank (TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1)";
  const Count& behind = counts.front();
  const Count& ahead = counts.back();
  const std::string missing = communicator.second + " " + std::to_string(behind.last + 1);
  for (const Event* member : behind.members) {
    finding::Finding finding;
    finding.subject = subject_text(member->subject);
    finding.category = "hang: a rank has not arrived";
    finding.summary = finding.subject + " has not launched " + missing + ", which " +
                      std::to_string(ahead.ranks) + " ranks have";
    finding.score = behind.members.size() <= size_t(ahead.ranks) ? 0.9 : 0.5;
    finding.where = place_of(member->subject);
    finding.evidence = {quoted(records, *member), quoted(records, *behind.event)};
    finding.next_step = "look at its stacks (py-spy dump --pid PID) and the kernel log of its host";
    out.findings.push_back(std::move(finding));
  }
  if (!behind.members.empty())
    return;
  std::vector<std::string> names;
  for (const Event* member : ahead.members)
    names.push_back(subject_text(member->subject));
  out.open.push_back(
      {std::to_string(behind.ranks) + " ranks have not launched " + missing + "; " +
           (names.empty() ? std::to_string(ahead.ranks) + " ranks" : list_text(names)) +
           " are ahead and not at fault; which of the " + std::to_string(behind.ranks) +
           " holds the others up is not in this text",
       "their stacks (py-spy dump --pid PID on each host), or " + std::string(kFlight)});
}

}  // namespace

// Judges a hang by the numbers of enqueued operations.
void judge_counts(const Records& records, const JudgeOptions&, Judgement& out) {
  const Counts all = counts_of(records);
  std::vector<const Event*> silent;
  for (const Event& event : records.events())
    if (event.kind == "collective/silent")
      silent.push_back(&event);
  for (const auto& [communicator, counts] : all)
    out.covered.push_back("launched operations of communicator " + communicator.first);
  for (const Event* event : silent)
    out.findings.push_back(silent_finding(records, *event, all));
  if (!silent.empty())
    return;
  for (const auto& [communicator, counts] : all)
    if (counts.size() > 1)
      judge_behind(records, communicator, counts, out);
}

}  // namespace lento::desk
