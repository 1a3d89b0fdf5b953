// Compares the number of the last step that each rank of a job has printed. Ranks take their steps together.
// One rank whose last step is below the one that all others have reached is therefore the rank that they wait
// for. Logs that end within a line are not judged, because the last lines of a program may not have reached
// the file.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestRanks = 4;

// Returns for each rank its event "progress/last step" with the largest step.
std::map<std::string, const Event*> last_steps(const Records& records) {
  std::map<std::string, const Event*> last;
  for (const Event& event : records.events()) {
    if (event.kind != "progress/last step" || event.subject.rank.empty())
      continue;
    const Event*& own = last[event.subject.rank];
    if (!own || base::try_int(field(*own, "step")) < base::try_int(field(event, "step")))
      own = &event;
  }
  return last;
}

}  // namespace

void judge_progress(const Records& records, const JudgeOptions&, Judgement& out) {
  const std::map<std::string, const Event*> last = last_steps(records);
  const bool is_torn = std::ranges::any_of(last, [&](const auto& one) {
    return records.files[one.second->where.file].torn_line > 0;
  });
  if (last.size() < kFewestRanks || is_torn)
    return;
  std::map<int64_t, std::vector<const Event*>> by_step;
  for (const auto& [rank, event] : last)
    by_step[base::try_int(field(*event, "step")).value_or(0)].push_back(event);
  out.covered.push_back("the last step of " + std::to_string(last.size()) + " ranks");
  const auto& [most, others] = *by_step.rbegin();
  const auto& [least, behind] = *by_step.begin();
  if (by_step.size() != 2 || behind.size() != 1)
    return;
  const Event& odd = *behind[0];
  const bool is_later = std::ranges::any_of(others, [&](const Event* other) {
    return other->time.clock == odd.time.clock && other->time.seconds < odd.time.seconds;
  });
  if (is_later && odd.time.clock != Clock::None)
    return;
  finding::Finding finding;
  finding.subject = subject_text(odd.subject);
  finding.category = "hang: the others are a step ahead";
  finding.summary = finding.subject + " ends at step " + std::to_string(least) + " where the " +
                    std::to_string(others.size()) + " others have come to step " + std::to_string(most) +
                    ": they wait for it";
  finding.score = 0.8;
  finding.where = place_of(odd.subject);
  finding.evidence.push_back(quoted(records, odd));
  finding.evidence.push_back(quoted(records, *others[0]));
  finding.next_step = "look at the stack of that rank (py-spy dump --pid PID) and the kernel log of its host";
  out.findings.push_back(std::move(finding));
}

}  // namespace lento::desk
