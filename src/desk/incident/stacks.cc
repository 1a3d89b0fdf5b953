// Stacks of the processes of a job that hangs. A collective ends when all have come, so that the one process
// that is elsewhere, where the others wait in a collective, holds them up. Where all wait, a link or a GPU
// does not finish, and where several are elsewhere one of them may wait for another: no part is named.
#include <map>

#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestStacks = 3;
constexpr const char* kFlightRecorder =
    "the flight recorder's dumps of all ranks (TORCH_NCCL_TRACE_BUFFER_SIZE=20000) or the RAS text of NCCL "
    "(nc localhost 28028), which list what each rank has begun and finished";

// Returns the last stack of each process.
std::map<Subject, const Event*> last_stacks(const Records& records) {
  std::map<Subject, const Event*> last;
  for (const Event& event : records.events())
    if (event.kind.starts_with("stack/"))
      last[event.subject] = &event;
  return last;
}

std::string count_text(size_t some, size_t all) {
  return std::to_string(some) + " of " + std::to_string(all);
}

void accuse_odd(
    const Records& records,
    const Event& odd,
    const Event& other,
    const std::string& waiting,
    Judgement& out) {
  finding::Finding finding;
  finding.subject = subject_text(odd.subject);
  finding.category = "hang: the others wait for it";
  const bool waits = odd.kind == "stack/waits";
  finding.summary = finding.subject + (waits ? " waits in " : " is in ") + field(odd, "place") + " where " +
                    waiting + " wait in " + field(other, "call");
  finding.score = 0.9;
  finding.where = place_of(odd.subject);
  finding.evidence.push_back(quoted(records, odd));
  finding.evidence.push_back(quoted(records, other));
  finding.next_step = waits
                          ? "compare what its program does before that call with another rank"
                          : "look at what it waits for there: its data, its host's processes and kernel log; "
                            "a second dump a minute later shows whether it stays";
  out.findings.push_back(std::move(finding));
}

}  // namespace

void judge_stacks(const Records& records, const JudgeOptions&, Judgement& out) {
  const std::map<Subject, const Event*> last = last_stacks(records);
  if (last.empty())
    return;
  std::map<std::string, std::vector<const Event*>> waiting;
  for (const auto& [subject, event] : last)
    if (event->kind == "stack/waits")
      waiting[field(*event, "call")].push_back(event);
  const std::vector<const Event*>* most = nullptr;
  for (const auto& [call, events] : waiting)
    if (!most || events.size() > most->size())
      most = &events;
  const size_t waits = most ? most->size() : 0;
  if (last.size() < kFewestStacks || waits * 2 <= last.size()) {
    out.open.push_back(
        {"stacks of " + std::to_string(last.size()) + (last.size() == 1 ? " process, " : " processes, ") +
             std::to_string(waits) + " of which wait in one collective: nobody is seen to hold up the rest",
         "stacks of all ranks at one time (py-spy dump --pid PID), a file a rank"});
    return;
  }
  const Event& typical = *most->front();
  out.covered.push_back("stacks of " + std::to_string(last.size()) + " processes");
  std::vector<const Event*> odd;
  for (const auto& [subject, event] : last)
    if (event->kind != typical.kind || field(*event, "call") != field(typical, "call"))
      odd.push_back(event);
  if (odd.size() == 1) {
    accuse_odd(records, *odd[0], typical, count_text(waits, last.size()), out);
    return;
  }
  out.open.push_back(
      {odd.empty()
           ? "all " + std::to_string(last.size()) + " processes wait in " + field(typical, "call") +
                 ", which a slow or broken link or GPU may cause: it is not in their stacks"
           : count_text(odd.size(), last.size()) + " processes are elsewhere than in " +
                 field(typical, "call") + ", and which of them holds up the rest is not in their stacks",
       kFlightRecorder});
}

}  // namespace lento::desk
