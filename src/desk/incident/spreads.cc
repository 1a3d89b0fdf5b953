// Judges the longest and the shortest time over all ranks when their ranks are not stated (Megatron-LM's
// timers).
//
// A step is searched from which on the longest time of a timer of work is larger than before. There
//
//   the shortest time stays          one rank, or a few, do that work slower
//   the shortest time rises as well  all ranks do it slower
//   a timer of waiting rises too     the other ranks wait for them
//
// Some rank is always the slowest, so that only a change is judged. A rank that was slow from the first
// report on does not show.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/pieces.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// By how much a timer's longest and shortest time over all ranks are larger from a step on than before it, in
// the timer's unit. `shortest` is kUnknown when the log does not state it.
struct Rise {
  const Quantity* quantity = nullptr;
  double longest = 0;
  double shortest = kUnknown;
  Where where;
  bool is_of_all() const {
    return shortest * 2 > longest;
  }
};

// Returns the median after `position` minus the median before it.
double rise_at(const Track& track, const std::vector<double>& values, double position) {
  std::vector<double> before;
  std::vector<double> behind;
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]))
      (track.position[i] < position ? before : behind).push_back(values[i]);
  return before.empty() || behind.empty() ? kUnknown : evidence::median(behind) - evidence::median(before);
}

// Returns by how much the longest time (Track::value) and the shortest time (Track::expected) of a timer rise
// at a position.
Rise rise_of(const Quantity& quantity, const Track& track, double position) {
  const size_t at = size_t(std::ranges::lower_bound(track.position, position) - track.position.begin());
  return {
      &quantity,
      rise_at(track, track.value, position),
      rise_at(track, track.expected, position),
      track.where[std::min(at, track.where.size() - 1)]};
}

struct SpreadChange {
  const Track* track = nullptr;
  double position = kUnknown;
  double chance = 1;
};

// Returns text such as "120 ms longer in forward-compute and 3 ms longer in optimizer".
std::string rises_text(const std::vector<Rise>& rises) {
  std::string text;
  for (size_t i = 0; i < rises.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 == rises.size() ? " and "
                                     : ", ") +
            value_with_unit(rises[i].longest, *rises[i].quantity) + " longer in " + rises[i].quantity->name;
  return text;
}

// Describes which ranks take longer.
std::string summary_of(const std::vector<Rise>& work, const std::vector<Rise>& waits) {
  const bool is_of_all = std::ranges::all_of(work, &Rise::is_of_all);
  std::string text = "the slowest rank takes " + rises_text(work);
  if (std::isnan(work[0].shortest))
    return text;
  text += is_of_all ? ", and the fastest as well" : ", while the fastest is as before";
  if (!waits.empty())
    text += "; " + waits[0].quantity->name + " rises by " +
            value_with_unit(waits[0].longest, *waits[0].quantity) +
            " where it is longest, as the others wait";
  return text + (is_of_all ? ": all ranks are slower" : ": one rank or a few are slow in their own work");
}

bool is_judged(const Quantity& quantity) {
  return quantity.better == Better::Lower && quantity.kind == Kind::Level;
}

// Returns the most significant change of a timer that measures work.
SpreadChange change_of(const Records& records, const std::vector<Tracks>& all, const JudgeOptions& options) {
  size_t judged = 0;
  for (const Tracks& tracks : all)
    judged += is_judged(records.quantities()[tracks.quantity]);
  SpreadChange best;
  for (const Tracks& tracks : all) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    if (!is_judged(quantity))
      continue;
    const Track& track = tracks.tracks[0];
    const std::vector<Piece> pieces = pieces_of(track, options.false_alarms / double(judged));
    const Onset onset = onset_of(quantity, pieces);
    if (onset.from && onset.times >= 1 + options.least_effect && onset.from->chance < best.chance)
      best = {&track, track.position[onset.from->begin], onset.from->chance};
  }
  return best;
}

// Returns the finding that the job became slower, and adds one when there is none.
finding::Finding& job_finding(const SpreadChange& change, Judgement& out) {
  for (finding::Finding& finding : out.findings)
    if (finding.subject == kTheJob && finding.category == kBecameSlower)
      return finding;
  finding::Finding finding;
  finding.subject = kTheJob;
  finding.category = kBecameSlower;
  finding.summary = "from " + position_text(*change.track, change.position) + " on";
  finding.score = 0.7;
  finding.next_step = "find which rank: write the times of each rank";
  return out.findings.emplace_back(std::move(finding));
}

}  // namespace

void judge_spreads(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::vector<Tracks> all = tracks_of(records, Scope::Extreme);
  std::erase_if(all, [](const Tracks& tracks) {
    return tracks.tracks.size() != 1 || !tracks.tracks[0].subject.rank.empty();
  });
  if (std::ranges::none_of(all, [&](const Tracks& tracks) {
        return is_judged(records.quantities()[tracks.quantity]);
      }))
    return;
  out.covered.push_back(
      "changes of the longest times of any rank in " + std::to_string(all.size()) + " timers");
  const SpreadChange change = change_of(records, all, options);
  if (!change.track)
    return;
  std::vector<Rise> work;
  std::vector<Rise> waits;
  for (const Tracks& tracks : all) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    const Rise rise = rise_of(quantity, tracks.tracks[0], change.position);
    const double before = evidence::median(tracks.tracks[0].value);
    if (!(rise.longest > before * options.least_effect))
      continue;
    if (is_judged(quantity))
      work.push_back(rise);
    else if (quantity.is_wait)
      waits.push_back(rise);
  }
  if (work.empty())
    return;
  std::ranges::sort(waits, std::ranges::greater(), &Rise::longest);
  finding::Finding& finding = job_finding(change, out);
  finding.summary += ": " + summary_of(work, waits);
  if (!std::ranges::all_of(work, &Rise::is_of_all))
    finding.category = "one straggling rank";
  for (const std::vector<Rise>* list : {&work, &waits})
    for (const Rise& rise : *list)
      finding.evidence.push_back(
          {rise.quantity->name + ": its longest time rises, the shortest by " +
               (std::isnan(rise.shortest) ? "an unknown time"
                                          : value_with_unit(rise.shortest, *rise.quantity)),
           rise.longest,
           rise.quantity->unit,
           place_text(records, rise.where)});
  finding.evidence.push_back(
      {"a run without a change looks like that " + false_alarm_text(change.chance),
       std::nullopt,
       "",
       "rank test"});
}

}  // namespace lento::desk
