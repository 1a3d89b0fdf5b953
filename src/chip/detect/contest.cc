// Simulates the chip under each hypothesis with a high likelihood ratio, corrects its factor by the ratio of
// recorded to simulated excess, and changes factor, begin and end of those with the largest gains until one
// is clearly ahead.
#include "chip/detect/contest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "chip/detect/factor.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

// Returns whether `a` wins against `b`, which precedes it. The larger gain wins when both parts are of one
// kind. A part of another kind comes later because more transfers cross it, and its gain must exceed the
// other by the factor 1 / kRivalShare.
bool beats(const Hypothesis& a, const Hypothesis& b) {
  const bool same_kind = a.suspect.component.part == b.suspect.component.part;
  return b.baselines.empty() || (same_kind ? 1 : kRivalShare) * a.gain > b.gain;
}

// Returns the suspect's factor, limited to the largest that its fastest transfers allow
// (most_allowed_factor()).
double possible(const ScanInput& before, const Suspect& s) {
  return std::min(s.factor, most_allowed_factor(before, s));
}

// Returns the suspect with at most the factor of the hypothesis with the largest gain so far: a component
// that explains the same transfers is slower by about the same factor.
Suspect as_slow_as(const Hypothesis& leading, const ScanInput& before, Suspect s) {
  s.factor = std::min(s.factor, leading.suspect.factor);
  return refitted(before, s);
}

bool same(const Suspect& a, const Suspect& b) {
  return a.begin == b.begin && a.end == b.end && a.factor == b.factor;
}

// Number of corrections (Contest::correct()) after which a hypothesis with less than half of the largest gain
// so far is dropped, because its factor hardly changes any more.
constexpr int kEnoughCorrections = 2;

// Number of hypotheses that are refined besides the best one: the second, and the third when its gain is at
// least half of the best. Where a fault covers few bins, the true hypothesis can be third until its begin is
// refined.
constexpr size_t kRivals = 2;

bool stands_out(const Hypothesis& best, const Hypothesis* rival) {
  return best.gain >= kRivalShare * best.suspect.strength &&
         (rival == nullptr || rival->gain <= kRivalShare * best.gain);
}

constexpr int kAdjustments = 6;  // number of the changes that adjusted() makes

// Returns a reported component with a slightly different factor, begin or end. `change` selects which, and
// `step` is the shift of begin or end in cycles.
Suspect adjusted(Suspect s, int change, uint64_t step) {
  if (s.slow_intervals.empty())
    s.slow_intervals.push_back({s.begin, s.end, s.factor});
  auto& first = s.slow_intervals.front();
  auto& last = s.slow_intervals.back();
  switch (change) {
    case 0:
    case 1:
      for (auto& one : s.slow_intervals)
        one.factor *= change == 0 ? kFactorStep : 1 / kFactorStep;
      break;
    case 2:
      last.end += step;
      break;
    case 3:  // an earlier end
      last.end -= std::min(step, last.end - last.begin);
      break;
    case 4:
      first.begin += std::min(step, first.end - first.begin);
      break;
    default:
      first.begin -= std::min(step, first.begin);
  }
  return s;
}

}  // namespace

bool explains(const Hypothesis& h) {
  return h.own_misfit <= h.own_chance.median && h.own_gain >= h.own_misfit;
}

Hypothesis Contest::best_of(std::vector<Suspect> close) {
  for (Suspect& s : close) {
    s.factor = std::sqrt(s.factor * envelope_factor(before_, s));
    s.factor = possible(before_, s);
    s = refitted(before_, s);
  }
  set_scope(close);
  until_ = first_part(close);
  Hypothesis best = sharpened(close);
  if (best.gain > 0)
    judge_by_its_own(best);
  return best;
}

// Sets own_gain, own_misfit and own_chance of the winner. For the first component they cover the rows that
// cross it alone. For a further one they cover all compared rows: the simulation already contains the queues
// of the reported ones, nearly as recorded, and a further component must improve on that.
void Contest::judge_by_its_own(Hypothesis& h) const {
  std::vector<size_t> rows = scope_.rows;
  if (given_.empty())
    std::erase_if(rows, [&](size_t r) {
      return !before_.paths[r].crosses(h.suspect.component);
    });
  h.own_misfit = expected_.misfit(h.baselines, rows, scope_.begin, scope_.end);
  h.own_gain = expected_.misfit(before_.baselines, rows, scope_.begin, scope_.end) - h.own_misfit;
  h.own_chance = expected_.chance(rows, scope_.begin, scope_.end);
}

Hypothesis Contest::sharpened(const std::vector<Suspect>& close) {
  std::vector<Entrant> all = tried(close);
  if (all.empty())
    return {};
  size_t best = 0;
  std::vector<size_t> rivals;  // all others, by falling gain
  const auto rank = [&] {
    best = 0;
    for (size_t i = 1; i < all.size(); ++i)
      if (beats(all[i].hypothesis, all[best].hypothesis))
        best = i;
    rivals.clear();
    for (size_t i = 0; i < all.size(); ++i)
      if (i != best)
        rivals.push_back(i);
    std::ranges::stable_sort(rivals, std::ranges::greater{}, [&](size_t i) {
      return all[i].hypothesis.gain;
    });
  };
  rank();
  // Begin and end of a fault that covers few bins are uncertain by a part of them, so such hypotheses are
  // refined even when none has a gain.
  const bool all_whole = std::ranges::all_of(all, [&](const Entrant& e) {
    return covers_whole_bins(before_.cells, e.hypothesis.suspect);
  });
  if (all[best].hypothesis.gain < 0 && all_whole)
    return std::move(all[best].hypothesis);
  if (until_ < scope_.end) {
    all = finalists(std::move(all));
    if (all.empty())
      return {};
    rank();
  }
  while (true) {
    bool more = sharpen_doubts(all, best);
    const Hypothesis& first = all[best].hypothesis;
    if (!stands_out(first, rivals.empty() ? nullptr : &all[rivals[0]].hypothesis)) {
      for (size_t k = 0; k < std::min(rivals.size(), kRivals); ++k)
        if (k == 0 || 2 * all[rivals[k]].hypothesis.gain > first.gain)
          more = sharpen(all[rivals[k]]) || more;
      more = sharpen(all[best]) || more;
    } else if (!covers_whole_bins(before_.cells, first.suspect)) {
      more = sharpen(all[best]) || more;  // how well it explains the run follows from when it began
    }
    if (!more)
      break;
    rank();
  }
  Hypothesis winner = std::move(all[best].hypothesis);
  if (!rivals.empty())
    winner.rival_gain = all[rivals[0]].hypothesis.gain;
  return winner;
}

// Returns whether simulating the hypothesis is not worthwhile: each of the first kSimulatedFirst hypotheses
// lowered the likelihood of the recorded run, and the component is not one of `in_any_case_`. When the true
// component is among them, wrong ones near it have a gain too, because their queues are full.
bool Contest::is_not_worthwhile(const Suspect& s, size_t count, bool gains) const {
  return !gains && count >= kSimulatedFirst &&
         std::ranges::find(in_any_case_, s.component) == in_any_case_.end();
}

// Returns the order in which hypotheses are simulated: by falling likelihood ratio of the scan. When
// hypotheses are compared on the first part of their intervals only (`in_part`), later ones start from the
// factor of the best earlier one (tried()). The order is then by the factor that the fastest transfers
// through each component show. A link behind the slow one, which only passes on late transfers, can have a
// higher likelihood ratio, but not a higher factor.
std::vector<size_t> Contest::order_of_trial(const std::vector<Suspect>& close, bool in_part) const {
  std::vector<std::pair<double, double>> worth;
  for (const Suspect& s : close)
    worth.emplace_back(in_part ? factor_of_the_fastest(before_, s) : 0, s.strength);
  std::vector<size_t> order(close.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](size_t i) {
    return worth[i];
  });
  return order;
}

// Simulates the hypotheses and corrects their factors. Returns them in the order of `close`, links before
// routers, because beats() favours the earlier of two parts. When they are compared on the first part of
// their intervals only (`in_part`), the hypotheses after the first start from the factor of the one with the
// largest log-likelihood gain so far, and each is dropped when its gain stays below that one. The hypothesis
// with the highest likelihood ratio in the scan is exempt from the drop, because the first one may have its
// gain by chance, with a wrong factor.
std::vector<Contest::Entrant> Contest::tried(const std::vector<Suspect>& close) {
  std::map<size_t, Entrant> in_order;
  const Hypothesis* leading = nullptr;  // largest gain so far; nullptr: none is above 0
  const bool in_part = until_ < scope_.end;
  const int kept = in_part ? std::min(kKeptForFinalists, expected_.left() / 2) : 0;
  const auto strongest = size_t(std::ranges::max_element(close, {}, &Suspect::strength) - close.begin());
  for (const size_t i : order_of_trial(close, in_part)) {
    if (expected_.left() <= kept)
      break;
    if (is_not_worthwhile(close[i], in_order.size(), leading != nullptr))
      continue;
    const bool as_leading = in_part && leading != nullptr;
    const bool in_brief = as_leading && i != strongest;
    const double most = leading == nullptr ? 0 : leading->gain;
    Entrant& entrant =
        in_order[i] = {replayed(as_leading ? as_slow_as(*leading, before_, close[i]) : close[i])};
    Bracket bracket;
    for (int corrections = in_brief ? kEnoughCorrections : 0; expected_.left() > kept; ++corrections) {
      const bool hopeless = corrections >= kEnoughCorrections && 2 * entrant.hypothesis.gain < most;
      const bool behind = in_brief && corrections > kEnoughCorrections && entrant.hypothesis.gain < most;
      if (hopeless || behind || !correct(entrant.hypothesis, bracket))
        break;
    }
    if (entrant.hypothesis.gain >= std::max(0.0, most))
      leading = &entrant.hypothesis;
  }
  std::vector<Entrant> out;
  for (auto& [i, entrant] : in_order)
    out.push_back(std::move(entrant));
  return out;
}

// Simulates over their whole intervals the hypotheses whose gain in the first part is at least half of the
// best and among the kSimulatedFirst best, largest gain first, while simulations are left. Returns them in
// their former order.
std::vector<Contest::Entrant> Contest::finalists(std::vector<Entrant> all) {
  until_ = UINT64_MAX;
  std::vector<Entrant*> by_gain;
  for (Entrant& e : all)
    by_gain.push_back(&e);
  std::ranges::stable_sort(by_gain, std::ranges::greater{}, [](const Entrant* e) {
    return e->hypothesis.gain;
  });
  const auto gain_of = [&](size_t place) {
    return by_gain[std::min(by_gain.size(), place) - 1]->hypothesis.gain;
  };
  const double enough = std::max(gain_of(1) / 2, gain_of(kSimulatedFirst));
  for (Entrant* e : by_gain) {
    const bool goes_on = e->hypothesis.gain >= enough && expected_.left() > 0;
    *e = goes_on ? Entrant{replayed(e->hypothesis.suspect)} : Entrant{};
  }
  std::erase_if(all, [](const Entrant& e) {
    return e.hypothesis.baselines.empty();
  });
  return all;
}

// Returns the cycle up to which hypotheses are compared: the whole run, unless simulating each of them
// kReplaysEach times costs too much (Expected::affordable()). Then it includes the first quarter of each
// interval, and at least three bins, which show whether the interval covers a whole bin.
uint64_t Contest::first_part(const std::vector<Suspect>& close) const {
  if (expected_.affordable() >= kReplaysEach * double(close.size()))
    return UINT64_MAX;
  constexpr uint64_t kEnough = 3;  // bins, of which one at least lies inside the interval as a whole
  const uint64_t bin = before_.cells.bin_cycles;
  uint64_t until = 0;
  for (const Suspect& s : close)
    until = std::max(until, s.begin + std::max(kEnough * bin, (s.end - s.begin) / 4));
  return (until + bin - 1) / bin * bin;
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
}

double Contest::gain_of(const std::vector<Baseline>& baselines) const {
  const uint64_t end = std::min(scope_.end, until_);
  return expected_.misfit(before_.baselines, scope_.rows, scope_.begin, end) -
         expected_.misfit(baselines, scope_.rows, scope_.begin, end);
}

// Applies every small change of a reported component that raises the gain, and returns the gain with all of
// them.
double Contest::gain_of_given() {
  std::vector<Suspect> slow = given_;
  double most = std::max(0.0, gain_of(expected_.with_found(slow, until_)));
  for (size_t i = slow.size(); i-- > 0;) {
    for (int change = 0; change < kAdjustments && expected_.affordable() >= 1; ++change) {
      const Suspect before = slow[i];
      slow[i] = adjusted(before, change, before_.cells.bin_cycles / 2);
      const double gain = gain_of(expected_.with_found(slow, until_));
      if (gain > most)
        most = gain;
      else
        slow[i] = before;
    }
  }
  return most;
}

Hypothesis Contest::replayed(const Suspect& suspect) {
  std::vector<Suspect> slow = given_;
  slow.push_back(suspect);
  Hypothesis h{suspect, expected_.with(slow, until_)};
  h.gain = gain_of(h.baselines);
  return h;
}

// Simulates the hypothesis with the factor that corrected_factor() suggests, and when this does not raise the
// gain, with half the step (in logarithms). Returns whether the gain rose. Queues make the excess grow faster
// than the factor, so a suggestion can be too far. One beyond a factor that was already too large or too
// small is replaced by the geometric mean of that and the present factor.
bool Contest::correct(Hypothesis& h, Bracket& bracket) {
  Suspect again = h.suspect;
  Suspect simulated = h.suspect;
  simulated.end = std::min(simulated.end, until_);
  again.factor = corrected_factor(before_, simulated, h.baselines);
  (again.factor < h.suspect.factor ? bracket.most : bracket.least) = h.suspect.factor;
  if (again.factor >= bracket.most)
    again.factor = std::sqrt(h.suspect.factor * bracket.most);
  if (again.factor <= bracket.least)
    again.factor = std::sqrt(h.suspect.factor * bracket.least);
  again.factor = possible(before_, again);
  for (int tries = 0; tries < 2 && expected_.left() > 0; ++tries) {
    const bool the_same = 2 * std::abs(std::log(again.factor / h.suspect.factor)) < std::log(kFactorStep);
    const bool never_named =
        h.gain < 0 && again.factor < kLeastFactor && covers_whole_bins(before_.cells, h.suspect);
    if (the_same || never_named)
      return false;
    Hypothesis next = replayed(refitted(before_, again));
    if (next.gain > h.gain) {
      h = std::move(next);
      return true;
    }
    again.factor = std::sqrt(again.factor * h.suspect.factor);
  }
  return false;
}

// Simulates one small change of factor or begin (changed()) and keeps it when it raises the gain. A change
// that raised the gain is tried again at the next call, otherwise the next kind of change. Returns false when
// all kinds were tried or no simulation is left.
bool Contest::sharpen(Entrant& entrant) {
  Hypothesis& h = entrant.hypothesis;
  Suspect other = changed(h.suspect, entrant.change);
  while (entrant.change < kChanges && same(other, h.suspect))
    other = changed(h.suspect, ++entrant.change);
  if (entrant.change == kChanges || expected_.left() == 0)
    return false;
  Hypothesis next = replayed(other);
  if (next.gain > h.gain) {
    h = std::move(next);
    entrant.helped = true;
  } else {  // what helped one way needs no step back
    entrant.change += entrant.helped && entrant.change % 2 == 1 ? 2 : 1;
    entrant.helped = false;
  }
  return true;
}

// Refines hypotheses whose component is of a kind that fewer transfers cross, and that have a higher
// likelihood ratio in the scan than the winner so far. The transfers of a link cross its routers too. Where
// the link has the higher ratio, the other transfers of the router are not slow, and the link may have the
// smaller gain only because its factor is less exact. Returns whether any can be refined further.
bool Contest::sharpen_doubts(std::vector<Entrant>& all, size_t best) {
  const Suspect leading = all[best].hypothesis.suspect;
  bool more = false;
  for (size_t i = 0; i < best; ++i) {
    const Suspect& smaller = all[i].hypothesis.suspect;
    if (smaller.component.part != leading.component.part && smaller.strength > leading.strength)
      more = sharpen(all[i]) || more;
  }
  return more;
}

Suspect Contest::changed(Suspect s, int change) const {
  const uint64_t width = before_.cells.bin_cycles;
  const uint64_t step = covers_whole_bins(before_.cells, s) ? width / 2 : width / 4;
  switch (change) {
    case 0:  // much slower for a part of its few bins
      if (!covers_whole_bins(before_.cells, s)) {
        s.factor = std::sqrt(s.factor * kMostFactor);
        s = refitted(before_, s);
      }
      break;
    case 1:  // a later begin
      if (s.end > s.begin + 2 * step)
        s.begin += step;
      break;
    case 2:  // an earlier one
      s.begin -= std::min(s.begin, step);
      break;
    case 3:  // less slow
      s.factor = std::max(s.factor / kFactorStep, 1.0);
      break;
    default:  // slower
      s.factor *= kFactorStep;
      s.factor = possible(before_, s);
  }
  return s;
}

}  // namespace lento::chip
