// Timers of which a program prints the smallest and the largest time over its ranks. One straggling rank
// shows where the largest rises and the smallest does not; the others then wait for it, so that the largest
// time of a collective rises as well. Lines of this kind show that it is one rank and since when, and not
// which.
//
//   largest(step) rises at a split by ranks (series.h), smallest(step) there by less than half as much
#include <algorithm>
#include <array>
#include <map>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestSamples = 12;  // of which the rank test can reach one in a thousand

struct Timer {
  const Quantity* quantity = nullptr;
  const Track* least = nullptr;
  const Track* most = nullptr;
};

struct Rise {
  const Timer* timer = nullptr;
  double position = 0;
  double before = 0;
  double after = 0;
  double least_before = 0;
  double least_after = 0;
  double times() const {
    return after / before;
  }
};

// Time in which a rank waits for others.
bool is_wait(const std::string& timer) {
  constexpr std::array kWords{
      "sync",
      "comm",
      "all-reduce",
      "allreduce",
      "all-gather",
      "reduce-scatter",
      "send",
      "recv",
      "barrier"};
  return std::ranges::any_of(kWords, [&](const char* word) {
    return timer.find(word) != std::string::npos;
  });
}

double median_of(const Track& track, double from, double to) {
  std::vector<double> values;
  for (size_t i = 0; i < track.value.size(); ++i)
    if (track.position[i] >= from && track.position[i] < to)
      values.push_back(track.value[i]);
  return values.empty() ? kUnknown : evidence::median(values);
}

std::optional<Rise> rise_of(const Timer& timer, double budget, double least_effect) {
  const Track& most = *timer.most;
  if (most.value.size() < kFewestSamples)
    return std::nullopt;
  const Split split = best_split(most.value);
  if (split.at == 0 || split.chance > budget)
    return std::nullopt;
  const std::span<const double> values(most.value);
  const size_t at = split_between(
      values,
      evidence::median(values.first(split.at)),
      evidence::median(values.subspan(split.at)));
  Rise rise{&timer, most.position[at]};
  rise.before = median_of(most, -INFINITY, rise.position);
  rise.after = median_of(most, rise.position, INFINITY);
  rise.least_before = median_of(*timer.least, -INFINITY, rise.position);
  rise.least_after = median_of(*timer.least, rise.position, INFINITY);
  const bool rose = rise.before > 0 && rise.times() >= 1 + least_effect;
  const bool alone =
      rise.least_before > 0 && 2 * (rise.least_after / rise.least_before - 1) < rise.times() - 1;
  return rose && alone ? std::optional(rise) : std::nullopt;
}

std::string rise_text(const Rise& rise) {
  return rise.timer->quantity->group + " " + value_with_unit(rise.after, *rise.timer->quantity) +
         " instead of " + value_with_unit(rise.before, *rise.timer->quantity);
}

}  // namespace

void judge_timers(const Records& records, const JudgeOptions& options, Judgement& out) {
  const std::vector<Tracks> most = tracks_of(records, Scope::Most);
  const std::vector<Tracks> least = tracks_of(records, Scope::Least);
  std::map<std::string, Timer> timers;
  for (const Tracks& tracks : most) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    timers[quantity.group] = {&quantity, nullptr, &tracks.tracks.front()};
  }
  for (const Tracks& tracks : least)
    timers[records.quantities()[tracks.quantity].group].least = &tracks.tracks.front();
  std::erase_if(timers, [](const auto& entry) {
    return !entry.second.least || !entry.second.most;
  });
  if (timers.empty())
    return;
  out.covered.push_back(
      "largest and smallest times over the ranks of " + std::to_string(timers.size()) + " timers");
  std::vector<Rise> work;
  std::vector<Rise> waits;
  for (const auto& [name, timer] : timers)
    if (const auto rise = rise_of(timer, options.false_alarms / double(timers.size()), options.least_effect))
      (is_wait(name) ? waits : work).push_back(*rise);
  if (work.empty())
    return;
  std::ranges::stable_sort(work, [](const Rise& a, const Rise& b) {
    return a.times() > b.times();
  });
  const Rise& first = work.front();
  finding::Finding finding;
  finding.subject = "the job";
  finding.category = "one straggling rank";
  finding.summary =
      "from " + position_text(*first.timer->most, first.position) + " on one rank straggles: its ";
  for (size_t i = 0; i < work.size(); ++i)
    finding.summary += (i ? ", " : "") + rise_text(work[i]);
  finding.summary += ", while the fastest rank takes as long as before";
  if (!waits.empty())
    finding.summary += "; the others wait for it (" + rise_text(waits.front()) + ")";
  finding.score = 0.8;
  finding.factor = first.times();
  for (const std::vector<Rise>* list : {&work, &waits})
    for (const Rise& rise : *list)
      finding.evidence.push_back(
          {"largest " + rise_text(rise) + ", smallest " +
               value_with_unit(rise.least_after, *rise.timer->quantity) + " instead of " +
               value_with_unit(rise.least_before, *rise.timer->quantity),
           rise.after,
           rise.timer->quantity->unit,
           place_text(records, rise.timer->most->where.back())});
  finding.next_step =
      "find the rank: --log-straggler, or --timing-log-option all prints the time of each rank";
  out.findings.push_back(std::move(finding));
}

}  // namespace lento::desk
