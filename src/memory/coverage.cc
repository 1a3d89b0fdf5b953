// States which share of the accesses and of the CPU time a recording holds. It replaces the outcome
// "healthy", which means that no contention costs the share `least_loss` of the time, by "cannot judge" when
// too little was recorded: for example when the accesses would cost less than that even if each took a line
// from another core.
#include "memory/coverage.h"

#include <algorithm>

#include "base/units.h"

namespace lento::memory {
namespace {

using base::percent;

constexpr double kLeastSeen = 0.5;        // share of the accesses that must be recorded for "healthy"
constexpr uint64_t kLeastAccesses = 100;  // fewer allow no verdict
constexpr double kTransfer = 0.02;        // microseconds of a transfer between cores: 60 cycles at 3 GHz
constexpr uint64_t kEvent = 16;           // bytes of one event in a recording

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 1 : std::min(1.0, double(part) / double(whole));
}

// Returns the share of the CPU time that all accesses could cost, 1 where that time is not known.
double reach(const Coverage& c) {
  if (c.worked_us == 0)
    return 1;
  return std::min(1.0, kTransfer * double(c.reported) / double(c.worked_us));
}

struct Doubt {
  std::string reason;
  std::string remedy;
};

// Returns why the recorded accesses are too few for a verdict, or nothing.
Doubt doubt_of(const Coverage& c, double least_loss) {
  if (c.reported < kLeastAccesses || reach(c) < least_loss)
    return {
        std::to_string(c.reported) + " accesses were made by code with the hooks" +
            (c.worked_us > 0
                 ? ", in " + base::format_number(double(c.worked_us) / 1000, 3) + " ms of CPU time"
                 : "") +
            ": the rest was registers, or libraries without hooks, where threads may fight unseen",
        "compile the libraries that it calls with -fsanitize=thread too, or sample it: perf c2c record"};
  const double seen = share(c.stored, c.reported);
  if (seen < kLeastSeen) {
    const uint64_t needed = c.reported / (uint64_t{1} << 20) * kEvent + kEvent;
    return {
        percent(seen) + " of the program's accesses were recorded" +
            (c.in_bursts ? ", in bursts" : ", up to the limit of the file"),
        "record all: --full --limit " + std::to_string(needed) + " (MiB), or a shorter run"};
  }
  if (c.is_static)
    return {
        "the program is linked statically, so locks other than mutexes are not seen",
        "link it dynamically"};
  return {};
}

}  // namespace

void add_coverage(const Coverage& c, double least_loss, finding::Diagnosis& d) {
  const double seen = share(c.stored, c.reported);
  const std::string accesses =
      std::to_string(c.stored) + " of " + std::to_string(c.reported) + " (" + percent(seen) + ")";
  d.facts.emplace_back("accesses and locks seen", accesses);
  if (c.worked_us > 0)
    d.facts.emplace_back(
        "CPU time seen",
        base::format_number(double(c.seen_us) / 1000, 4) + " of " +
            base::format_number(double(c.worked_us) / 1000, 4) + " ms (" +
            percent(share(c.seen_us, c.worked_us)) + "), with the recorder's own");
  if (!d.covered.empty())
    d.covered += "; " + percent(seen) + " of the program's accesses were recorded";
  if (c.unordered > 0)
    d.notes.push_back(
        std::to_string(c.unordered) +
        " waits at locks or conditions were not kept in order: more of them exist "
        "than the recorder follows");
  if (d.outcome == finding::Outcome::Findings && seen < kLeastSeen)
    d.notes.push_back(
        "what was found holds for the recorded " + percent(seen) + " of the accesses: --full shows all");
  // When the trace had too few accesses for a verdict, the reason is replaced by one from the recording,
  // which shows why they are few.
  const bool is_short = d.outcome == finding::Outcome::CannotJudge && c.reported < kLeastAccesses;
  if (d.outcome != finding::Outcome::Healthy && !is_short)
    return;
  const Doubt doubt = doubt_of(c, least_loss);
  if (!doubt.reason.empty())
    finding::cannot_judge(d, doubt.reason, doubt.remedy, d.covered);
}

}  // namespace lento::memory
