// Problem: a machine that is 5 % slow shows only in averages, while bursts, phases of the job and slow
// drifts show in averages too. Idea: the same difference is formed for every machine and every earlier
// window, and its spread is the noise, whatever its causes.
//   d = mean of the window - mean of the cells before it      for each machine and statistic
//   t = d / (s sqrt(1 + r c / n))      c cells in the window, n cells of past, spread s by Noise,
//                                      r >= 1 how much more the cells of the past scatter than s^2 says
// The differences of one window enter the noise only when the next window has passed, so that a fault is not
// part of the noise by which it is judged. Cost: a few sums per machine and cell.
#include "fleet/scan/level.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evidence/distribution.h"
#include "evidence/sample.h"
#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

constexpr float kNoLevel = std::numeric_limits<float>::quiet_NaN();
constexpr double kPrior = 10;  // weight of the past in the present scatter, as a number of machines

// Returns noises that share what is expected of each machine.
std::array<Noise, kTested> alike(const Noise& noise) {
  return {noise, noise, noise};
}

}  // namespace

Level::Level(
    const LevelOptions& o,
    std::shared_ptr<const CellRing> ring,
    std::shared_ptr<std::vector<Difference>> now)
    : o_(o),
      ring_(std::move(ring)),
      now_(std::move(now)),
      usual_(o.machines, o.cells, o.against_peers),
      pending_(o.machines),
      absolute_(alike(Noise(o.machines))),
      relative_(absolute_) {
}

// Returns how many times the spread of a difference is widened by the uncertainty of the machine's past
// (Welch 1947). The mean of a past with a burst is less certain than the spread of the windows shows, so that
// the return from the burst is no change.
double Level::widened(size_t machine, Statistic statistic) const {
  const Noise& noise = absolute_[statistic];
  const double windows = noise.variance() > 0 ? std::pow(noise.spread(machine), 2) / noise.variance() : 1;
  const double past = std::max(1.0, usual_.variance(machine, statistic) / windows);
  return std::sqrt(1 + past * double(o_.cells) / usual_.count(machine));
}

// Returns the number of cells from which a window's value of a statistic is formed. A quantile cell covers
// more rows than a cell of means, so a window has fewer of them.
size_t Level::window(size_t statistic) const {
  return statistic == kMean || statistic == kRaw ? o_.cells : o_.quantile_cells;
}

// Returns the mean of the cells [first, first + window). Of cells of quantiles it returns the largest upper
// or the smallest lower one, which bounds the quantile of all their rows. NaN when more than half of the
// cells are missing.
float Level::window_value(size_t machine, size_t statistic, size_t first) const {
  double sum = 0;
  float most = -INFINITY;
  float least = INFINITY;
  size_t count = 0;
  const size_t cells = window(statistic);
  for (size_t i = first; i < first + cells; ++i) {
    const float v = cell(machine, statistic, i);
    if (std::isnan(v))
      continue;
    sum += double(v);
    most = std::max(most, v);
    least = std::min(least, v);
    ++count;
  }
  if (count == 0 || 2 * count < cells)
    return kNoLevel;
  return statistic == kUpper ? most : statistic == kLower ? least : float(sum / double(count));
}

float Level::usual(size_t machine, Statistic statistic, float common) const {
  return usual_.known(machine) ? float(usual_.expected(machine, statistic, common)) : kNoLevel;
}

void Level::learn_oldest(const Suspicion& suspicion) {
  const auto oldest = [&](size_t machine) {
    Usual::Cell out{};
    for (size_t c = 0; c < kStatistics; ++c)
      out[c] = c == kUpper || c == kLower ? window_value(machine, c, 0) : cell(machine, c, 0);
    return out;
  };
  const Usual::Cell common = oldest(o_.machines);
  for (size_t m = 0; m < o_.machines; ++m) {
    if (!suspicion.frozen(m) && !std::isnan(cell(m, kRaw, 0)))
      usual_.learn(m, oldest(m), common);
  }
}

void Level::forget(size_t machine) {
  usual_.forget(machine);
  pending_[machine] = {};
}

std::array<Noise*, 2 * kTested> Level::noises() {
  return {&absolute_[0], &absolute_[1], &absolute_[2], &relative_[0], &relative_[1], &relative_[2]};
}

// Returns each statistic's difference between its value in the window and the value expected from the
// machine's past while the peers' medians have the values `common`.
Difference Level::difference(size_t machine, const Usual::Cell& common) const {
  Difference d;
  d.whole = usual_.known(machine);
  for (size_t c = 0; c < kStatistics && d.whole; ++c) {
    if (!o_.quantiles && (c == kUpper || c == kLower))
      continue;
    const float v = window_value(machine, c, o_.cells - window(c));
    d.whole = d.whole && !std::isnan(v);
    d.value[c] = float(double(v) - usual_.expected(machine, c, common[c]));
  }
  return d;
}

// Forms the differences of all machines from their peers.
void Level::form_differences(const Suspicion& suspicion) {
  Usual::Cell common{};
  for (size_t c = 0; c < kStatistics; ++c)
    common[c] = window_value(o_.machines, c, o_.cells - window(c));
  now_->resize(o_.machines);
  for (size_t m = 0; m < o_.machines; ++m)
    (*now_)[m] = difference(m, common);
  for (size_t c = 0; c < kTested && o_.against_peers; ++c)
    subtract_median(c, suspicion);
  for (Difference& d : *now_)
    std::copy_n(d.value.begin(), kTested, d.single.begin());
  for (const Statistic c : {kUpper, kLower}) {
    if (o_.quantiles)
      combine(c);
  }
}

// Returns whether a change lasts for the window and is no burst: all but two of its cells must show half of
// the change.
bool Level::lasts(size_t machine, double change) const {
  size_t cells = 0;
  size_t there = 0;
  for (size_t i = 0; i < o_.cells; ++i) {
    const double off = double(cell(machine, kMean, i) - middle_[kMean]) -
                       usual_.expected(machine, kMean, cell(o_.machines, kMean, i));
    if (std::isnan(off))
      continue;
    ++there;
    cells += off * change > 0 && 2 * std::abs(off) >= std::abs(change);
  }
  return cells + 2 >= there;
}

// Subtracts the median of the differences. Of the two middle machines of an even number, one may be faulty,
// so the one whose level changed less is the reference.
void Level::subtract_median(size_t statistic, const Suspicion& suspicion) {
  std::vector<std::pair<float, float>> values;  // difference, and how far the machine moved itself
  for (size_t m = 0; m < o_.machines; ++m) {
    const Difference& d = (*now_)[m];
    if (d.whole && !suspicion.machines[m])
      values.emplace_back(d.value[statistic], std::abs(d.value[kRaw]));
  }
  middle_[statistic] = 0;
  if (values.size() < kLeastPeers)
    return;
  const auto upper = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, upper);
  const auto lower = std::max_element(values.begin(), upper);
  const bool even = values.size() % 2 == 0;
  middle_[statistic] = even && lower->second < upper->second ? lower->first : upper->first;
  for (Difference& d : *now_)
    d.value[statistic] -= middle_[statistic];
}

// Returns the present spread of the machines' differences in one statistic, weighted with that of the past
// when peers are few, and the thresholds. The spread is 0 when all peers have equal values.
Level::Thresholds Level::thresholds(Statistic statistic, double z) const {
  std::vector<float> sizes;
  double past = 0;
  for (size_t m = 0; m < o_.machines; ++m) {
    if (!(*now_)[m].whole)
      continue;
    sizes.push_back(std::abs((*now_)[m].value[statistic]));
    past += std::pow(absolute_[statistic].spread(m), 2);
  }
  Thresholds by{
      1,
      double(sizes.size()),
      absolute_[statistic].threshold(z),
      relative_[statistic].threshold(z)};
  if (!o_.against_peers || sizes.size() < kLeastPeers)
    return by;
  const double now = evidence::kSigmaOfMad * double(evidence::upper_median_reordering(std::span(sizes)));
  const double spread = std::sqrt((by.peers * now * now + kPrior * past / by.peers) / (by.peers + kPrior));
  by.present = spread == 0 || std::ranges::max(sizes) == 0 ? 0 : std::max(kLeastSpread, spread);
  return by;
}

// Returns a change in multiples of two thresholds: `absolute` by the noise of the past on the metric's scale,
// `relative` by the noise in units of the peers' present scatter. Until the latter noise is known, the
// machine is assumed to vary as its peers do.
Level::Test Level::in_thresholds(size_t m, Statistic statistic, double change, const Thresholds& by) const {
  const auto unit = [&](double spread, double freedom) {
    return normal_equivalent(change / (widened(m, statistic) * std::hypot(spread, kLeastSpread)), freedom);
  };
  const Noise &past = absolute_[statistic], &ratio = relative_[statistic];
  const double relative =
      ratio.known() ? unit(ratio.spread(m) * by.present, ratio.freedom(m)) : unit(by.present, by.peers);
  return {float(unit(past.spread(m), past.freedom(m)) / by.absolute), float(relative / by.relative)};
}

// Tests one statistic of one machine.
Deviation Level::test(size_t m, Statistic statistic, const Thresholds& by) const {
  const double change = double((*now_)[m].value[statistic]);
  const Test score = in_thresholds(m, statistic, change, by);
  Deviation deviation;
  deviation.beside = score.absolute;
  // The peers' present scatter of means may be small by chance, so the smaller of both scores counts. Their
  // scatter of quantiles is reliable, so the score relative to it has twice the weight of the other.
  const float size = statistic == kMean
                         ? std::min(std::abs(score.relative), std::abs(score.absolute))
                         : std::cbrt(score.relative * score.relative * std::abs(score.absolute));
  deviation.score = std::copysign(size, float(change));
  deviation.shown = std::max(std::abs(deviation.score), std::abs(deviation.beside));
  deviation.change = float(change);
  deviation.raw = (*now_)[m].value[kRaw];
  deviation.past = usual_.mean(m, kMean);
  deviation.statistic = statistic;
  deviation.judged = true;
  return deviation;
}

// Replaces the difference of a quantile by a weighted mean of itself and the difference of kMean. Both
// follow the same shift with separate noise, and the weights are those of the least variance.
void Level::combine(Statistic quantile) const {
  const double of_mean = 1 / (absolute_[kMean].variance() + kLeastSpread * kLeastSpread);
  const double of_quantile = 1 / (single_[quantile].variance() + kLeastSpread * kLeastSpread);
  for (Difference& d : *now_) {
    const double sum = of_mean * double(d.single[kMean]) + of_quantile * double(d.single[quantile]);
    d.value[quantile] = float(sum / (of_mean + of_quantile));
  }
}

// Returns how far the mean of a window moves by chance when its samples have few distinct values, by
// Bernstein's inequality for bounded samples. 0 for metrics with many values.
double Level::by_chance(size_t m, const Dips& dips, double z) const {
  const double range = (o_.ranks ? 1 : dips.range()) / double(o_.rows_a_cell * o_.cells);
  return range > 0 ? absolute_[kMean].spread(m) * z + range * z * z / 6 : 0;
}

// Returns the upper bound of a score, in multiples of the threshold, that the chance of single samples sets:
// for a quantile how often single samples deviate, for the mean how far few distinct values scatter (no
// bound for metrics with many). 0 for a change that does not last.
double Level::allowed(const Deviation& deviation, size_t m, const Dips& dips, double z) const {
  const double change = std::abs(double(deviation.change));
  if (!lasts(m, double(deviation.change)))
    return 0;
  if (deviation.statistic != kMean)
    return dips.z_of(
               m,
               deviation.statistic == kUpper,
               std::abs(double((*now_)[m].single[deviation.statistic])),
               o_.rows_a_quantile) /
           z;
  return change / by_chance(m, dips, z);
}

// Tests one statistic of all machines and keeps the strongest score of each machine in `out`.
void Level::judge(Statistic statistic, double z, const Dips& dips, std::vector<Deviation>& out) {
  const Thresholds by = thresholds(statistic, z);
  present_[statistic] = by.present;
  for (size_t m = 0; m < o_.machines; ++m) {
    if (!(*now_)[m].whole)
      continue;
    Deviation deviation = test(m, statistic, by);
    if (!may_show(statistic) || (statistic == kUpper && deviation.change > 0) ||
        (statistic == kLower && deviation.change < 0))
      continue;
    const double most = deviation.shown >= 1 ? allowed(deviation, m, dips, z) : 1;
    for (float* score : {&deviation.score, &deviation.beside})
      *score = float(std::copysign(std::min(double(std::abs(*score)), most), deviation.change));
    const auto weight = [](const Deviation& l) {
      return std::abs(l.score) + std::abs(l.beside);
    };
    if (!out[m].judged || weight(deviation) > weight(out[m]))
      out[m] = deviation;
  }
}

void Level::test_window(const Suspicion& suspicion, double z, const Dips& dips, std::vector<Deviation>& out) {
  out.assign(o_.machines, {});
  form_differences(suspicion);
  usual_.weigh_variances();
  for (size_t c = 0; c < kTested; ++c) {
    if (c == kMean || o_.quantiles)
      judge(Statistic(c), z, dips, out);
  }
  if (ring_->pushed() % o_.cells == 0)
    learn(suspicion);
}

void Level::learn(const Suspicion& suspicion) {
  for (size_t m = 0; m < o_.machines; ++m) {
    Pending& pending = pending_[m];
    const Difference& now = (*now_)[m];
    for (size_t c = 0; c < kTested; ++c) {
      if (c != kMean && !o_.quantiles)
        continue;
      if (pending.known && !suspicion.frozen(m)) {
        const auto size = [&](double difference) {
          return c == kMean ? std::abs(difference) : c == kUpper ? -difference : difference;
        };
        const auto absolute = double(pending.difference[c]);
        const double relative = absolute / pending_present_[c];
        absolute_[c].learn(m, absolute, size(absolute), usual_.count(m));
        relative_[c].learn(m, relative, size(relative), usual_.count(m));
        single_[c].learn(double(pending.single[c]), absolute_[c].expected(m), o_.machines);
      }
      pending.difference[c] = float(double(now.value[c]) / widened(m, Statistic(c)));
      pending.single[c] = float(double(now.single[c]) / widened(m, Statistic(c)));
    }
    pending.known = now.whole && !suspicion.frozen(m);
  }
  pending_present_ = present_;
  // A noisy machine is noisy at every length of window, and its many single cells show that long before its
  // few windows do.
  if (o_.against_peers)
    usual_.refresh();
  absolute_[kMean].expect(usual_.noisier());
  for (Noise* noise : noises())
    noise->refresh();
}

size_t Level::cells_since_change(size_t machine, Statistic statistic) const {
  double sum = 0;
  double best = -1;
  size_t since = 1;
  for (size_t n = 1; n <= o_.cells; ++n) {
    const float v = cell(machine, statistic, o_.cells - n);
    if (!std::isnan(v))
      sum += double(v) - usual_.expected(machine, statistic, cell(o_.machines, statistic, o_.cells - n));
    if (sum * sum / double(n) > best) {
      best = sum * sum / double(n);
      since = n;
    }
  }
  return since;
}

}  // namespace lento::fleet
