#include "chip/detect/contest.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "chip/detect/factor.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

// Of equals the one that slows less else: a link before its router. Of two links the better.
bool beats(const Hypothesis& a, const Hypothesis& b) {
  const bool alike = a.suspect.component.part == b.suspect.component.part;
  const double same = alike ? 0 : std::max(kSameGain, kSameShare * b.gain);
  return a.gain > b.gain + same;
}

// No factor beyond what the fastest transfers allow.
double possible(const ScanInput& before, const Suspect& s) {
  return std::min(s.factor, most_possible_factor(before, s));
}

bool keeps_its_promise(const Hypothesis& h) {
  return h.gain >= kPromisedShare * h.suspect.strength;
}

}  // namespace

double Contest::Entrant::promise() const {
  return settled ? hypothesis.gain : std::max(hypothesis.gain, hypothesis.suspect.strength);
}

double Contest::Entrant::outlook() const {
  return (promise() + hypothesis.gain) / 2;
}

Hypothesis Contest::best_of(std::vector<Suspect> close) {
  for (Suspect& s : close) {
    s.factor = std::sqrt(s.factor * envelope_factor(before_, s));
    s.factor = possible(before_, s);
    s = refitted(before_, s);
  }
  set_scope(close);
  const auto width = double(before_.cells.bin_cycles);
  std::vector<Entrant> all;
  for (const Suspect& s : close)
    if (expected_.left() > 0)
      all.push_back({corrected(s), Search(width)});
  if (all.empty())
    return {};
  size_t best = leader(all);
  while (Entrant* next = contender(all, best)) {
    improve(*next);
    best = leader(all);
  }
  if (!all[best].settled)
    settle(all[best]);
  return std::move(all[best].hypothesis);
}

size_t Contest::leader(const std::vector<Entrant>& all) {
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (beats(all[i].hypothesis, all[best].hypothesis))
      best = i;
  return best;
}

// Of those that may still win the one with the best outlook; none when all of them are as good as they get,
// or when nobody else comes near a best one that has kept its promise.
Contest::Entrant* Contest::contender(std::vector<Entrant>& all, size_t best) const {
  if (expected_.left() == 0)
    return nullptr;
  const double near = kRivalShare * all[best].hypothesis.gain;
  Entrant* next = nullptr;
  bool rivals = false;
  for (size_t i = 0; i < all.size(); ++i) {
    const double promise = all[i].promise();
    if (i != best && promise <= near)
      continue;
    rivals = rivals || i != best;
    if (!all[i].settled && (next == nullptr || all[i].outlook() > next->outlook()))
      next = &all[i];
  }
  return rivals || !keeps_its_promise(all[best].hypothesis) ? next : nullptr;
}

void Contest::set_scope(const std::vector<Suspect>& close) {
  for (const Suspect& s : close) {
    scope_.begin = std::min(scope_.begin, s.begin);
    scope_.end = std::max(scope_.end, s.end);
  }
  for (size_t r = 0; r < before_.paths.size(); ++r)
    if (std::ranges::any_of(close, [&](const Suspect& s) {
          return before_.paths[r].crosses(s.component);
        }))
      scope_.rows.push_back(r);
  scope_.end += before_.cells.bin_cycles;
  expected_.look_around(scope_);
}

Hypothesis Contest::replayed(const Suspect& suspect) {
  std::vector<Suspect> slow = given_;
  slow.push_back(in_gaps(before_, suspect));
  Hypothesis h{suspect, expected_.with_draws(slow), 0};
  h.gain = gain_of(h.baselines);
  return h;
}

double Contest::gain_of(const std::vector<Baseline>& baselines) const {
  return expected_.misfit(before_.baselines, scope_) - expected_.misfit(baselines, scope_);
}

// Simulated as if it went on to the end of the run, and ended where it says most: until then the run is the
// same whenever the fault ends, and from then on it is taken for what it was before.
Hypothesis Contest::ended(const Suspect& suspect) {
  std::vector<Suspect> slow = given_;
  slow.push_back(in_gaps(before_, suspect));
  slow.back().end = UINT64_MAX;
  Hypothesis h{suspect, expected_.with(slow), 0};
  const size_t end = best_end(h);
  const double share = end < before_.cells.bins ? slow_share(h.baselines, end) : 0;
  const double last = slow_share(h.baselines, end - 1);
  const uint64_t width = before_.cells.bin_cycles;
  h.suspect.end = uint64_t((double(end) - 1 + last + (share > kPartly ? share : 0)) * double(width));
  h.suspect.end = std::max(h.suspect.end, suspect.begin + width / 4);
  for (size_t r = 0; r < h.baselines.size(); ++r) {
    std::vector<float>& level = h.baselines[r].level;
    for (size_t b = end; b < level.size(); ++b)
      level[b] = before_.baselines[r].level[b];
  }
  h.gain = gain_of(h.baselines);
  return h;
}

// The bin before which the slow run is more like the recorded one, altogether, than the one before it.
size_t Contest::best_end(const Hypothesis& h) const {
  const size_t begin = bins_of(before_.cells, h.suspect.begin, h.suspect.end).begin;
  const size_t last = bins_of(before_.cells, scope_.begin, scope_.end).end;
  double sum = 0;
  double most = 0;
  size_t end = begin + 1;
  for (size_t b = begin; b < last; ++b) {
    sum += expected_.misfit_of_bin(before_.baselines, scope_, b) -
           expected_.misfit_of_bin(h.baselines, scope_, b);
    if (sum <= most)
      continue;
    most = sum;
    end = b + 1;
  }
  return end;
}

// How far up from what was expected before to the slow run the recorded one is in a bin: the share of it that
// was slow.
double Contest::slow_share(const std::vector<Baseline>& slow, size_t bin) const {
  double up = 0;
  double all = 0;
  for (const size_t r : scope_.rows) {
    const Cell& cell = before_.cells.rows[r].cells[bin];
    if (cell.count == 0)
      continue;
    const Baseline& base = before_.baselines[r];
    const double step = slow[r].level[bin] - base.level[bin];
    const double weight = 1 / base.variance(cell.count);
    up += weight * step * (cell.level - base.level[bin]);
    all += weight * step * step;
  }
  return all > 0 ? std::clamp(up / all, 0.0, 1.0) : 1;
}

// Tries the factor that the replay suggests, and when that goes too far, half the way; whether one was
// better.
bool Contest::correct(Hypothesis& h, int most) {
  Suspect again = h.suspect;
  again.factor = corrected_factor(before_, h.suspect, h.baselines);
  again.factor = possible(before_, again);
  for (int tries = 0; tries < most && expected_.left() > 0; ++tries) {
    if (std::abs(std::log(again.factor / h.suspect.factor)) < kSameFactor)
      return false;
    Hypothesis next = ended(again);
    if (next.gain > h.gain) {
      h = std::move(next);
      return true;
    }
    again.factor = std::sqrt(again.factor * h.suspect.factor);
  }
  return false;
}

// One step of the search: the factor that the last replay suggests, then a move.
void Contest::improve(Entrant& entrant) {
  Hypothesis& h = entrant.hypothesis;
  if (!entrant.corrected) {
    entrant.corrected = !correct(h, 2);
    return;
  }
  const std::optional<Suspect> other = entrant.search.next(h.suspect);
  if (!other) {
    settle(entrant);
    return;
  }
  Suspect allowed = *other;
  allowed.factor = possible(before_, allowed);
  Hypothesis next = ended(allowed);
  entrant.search.told(next.gain - h.gain);
  if (next.gain <= h.gain)
    return;
  h = std::move(next);
  entrant.corrected = false;
}

// With its end, and in several draws: of one alone a rhythm can decide.
void Contest::settle(Entrant& entrant) {
  entrant.settled = true;
  if (expected_.left() > 0)
    entrant.hypothesis = replayed(entrant.hypothesis.suspect);
}

Hypothesis Contest::corrected(const Suspect& suspect) {
  Hypothesis h = ended(suspect);
  correct(h, 1);
  return h;
}

}  // namespace lento::chip
