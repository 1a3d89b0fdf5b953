// Problem: a machine that is 5 % slow shows only in averages, while bursts, phases of the job and slow
// drifts show in averages too. Idea: the same difference is formed for every machine and every earlier
// window, and its spread is the noise, whatever its causes.
//   d = mean of the window - mean of the cells before it      for each machine and statistic
//   t = d / (s sqrt(1 + c / n))        c cells in the window, n cells of past, spread s by Noise
// The differences of one window enter the noise only when the next window has passed, so that a fault is not
// part of the noise by which it is judged. Cost: a few sums per machine and cell.
#include "fleet/scan/level.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/distribution.h"
#include "evidence/sample.h"
#include "fleet/scan/gauss.h"

namespace lento::fleet {
namespace {

constexpr float kNoLevel = std::numeric_limits<float>::quiet_NaN();
constexpr double kPastCells = 1000;   // number of cells in the past; the weight of older ones decays
constexpr double kMissed = 0.05;      // probability that a change of the detectable size is missed
constexpr double kTwoAtMost = 0.818;  // mean of a Poisson distribution whose 95 % quantile is two
constexpr double kMostChange = 4.6;   // ln 100, the logarithm's range below the typical value (kinds.cc)
constexpr double kPrior = 10;         // weight of the past in the present scatter, as a number of machines

}  // namespace

Level::Level(const LevelOptions& options)
    : o_(options),
      ring_((options.machines + 1) * kChannels * options.cells, kNoLevel),
      past_(options.machines),
      now_(options.machines),
      tests_(options.machines),
      single_{Noise(options.machines), Noise(options.machines), Noise(options.machines)},
      absolute_(single_),
      relative_(single_) {
}

// Returns the number of cells from which a window's value of a statistic is formed. A quantile cell covers
// more rows than a cell of means, so a window has fewer of them.
size_t Level::window(size_t channel) const {
  return channel == kMean || channel == kRaw ? o_.cells : o_.quantile_cells;
}

// Returns the mean of the cells [first, first + window). Of cells of quantiles it returns the largest upper
// or the smallest lower one, which bounds the quantile of all their rows. NaN when more than half of the
// cells are missing.
float Level::statistic(size_t machine, size_t channel, size_t first) const {
  double sum = 0;
  float most = -INFINITY;
  float least = INFINITY;
  size_t count = 0;
  const size_t cells = window(channel);
  for (size_t i = first; i < first + cells; ++i) {
    const float v = cell(machine, channel, i);
    if (std::isnan(v))
      continue;
    sum += double(v);
    most = std::max(most, v);
    least = std::min(least, v);
    ++count;
  }
  if (count == 0 || 2 * count < cells)
    return kNoLevel;
  return channel == kUpper ? most : channel == kLower ? least : float(sum / double(count));
}

float Level::usual(size_t machine, Channel channel, float common) const {
  return past_[machine].count >= float(o_.cells) ? float(expected(machine, channel, common)) : kNoLevel;
}

// Returns the expected value from the machine's own past and its usual response to its peers' level, limited
// to levels that occurred.
double Level::expected(size_t machine, size_t channel, float common) const {
  const Past& past = past_[machine];
  const double mean = double(past.mean[channel]);
  if (channel >= kTested || std::isnan(common))
    return mean;
  const Response& r = past.response[channel];
  return mean + double(r.slope * std::clamp(common - r.common, -r.far, r.far));
}

// Estimates how a machine's statistic follows its peers' median: a slope, which is shrunk towards 0 by
// empirical Bayes, the more strongly the less the slopes of all machines differ beyond their errors.
void Level::estimate_slopes(Channel channel) {
  double squares = 0;
  double errors = 0;
  size_t machines = 0;
  const auto estimate = [&](const Past& past, double& slope, double& error) {
    const Response& r = past.response[channel];
    if (past.count < float(o_.cells) || !(r.spread > 0))
      return false;
    slope = double(r.together / r.spread);
    const double left = std::max(0.0, double(r.own) - slope * slope * double(r.spread));
    error = left / (double(past.count) * double(r.spread));
    return true;
  };
  double slope = 0;
  double error = 0;
  for (const Past& past : past_) {
    if (!estimate(past, slope, error))
      continue;
    squares += slope * slope;
    errors += error;
    ++machines;
  }
  const double differ = machines > 0 ? std::max(0.0, (squares - errors) / double(machines)) : 0;
  for (Past& past : past_) {
    const bool known = estimate(past, slope, error) && differ > 0;
    past.response[channel].slope = known ? float(slope * differ / (differ + error)) : 0;
  }
}

// Adds the machine's oldest cell to its past: to the running mean of each statistic and to the regression on
// the peers' medians. Beyond kPastCells cells the weight of the older ones decays.
void Level::retire(size_t machine) {
  Past& past = past_[machine];
  if (std::isnan(cell(machine, kRaw, 0)))
    return;
  past.count = float(std::min(double(past.count) + 1, kPastCells));
  for (size_t c = 0; c < kChannels; ++c) {
    const bool quantile = c == kUpper || c == kLower;
    const float v = quantile ? statistic(machine, c, 0) : cell(machine, c, 0);
    if (std::isnan(v))
      continue;
    const float off = v - past.mean[c];
    past.mean[c] += off / past.count;
    const float common = quantile ? statistic(o_.machines, c, 0) : cell(o_.machines, c, 0);
    if (c >= kTested || !o_.against_peers || std::isnan(common))
      continue;
    Response& r = past.response[c];
    const float moved = common - r.common;
    r.far = std::max(r.far, past.count > 1 ? std::abs(moved) : 0);
    r.common += moved / past.count;
    r.spread += (moved * (common - r.common) - r.spread) / past.count;
    r.together += (moved * (v - past.mean[c]) - r.together) / past.count;
    const float square = off * (v - past.mean[c]);
    const float from_own = square - r.own;
    r.own += from_own / past.count;
    r.scatter += (from_own * (square - r.own) - r.scatter) / past.count;
  }
}

void Level::push(std::span<const float> cells, const Suspicion& suspicion) {
  for (size_t m = 0; m <= o_.machines; ++m) {
    if (m < o_.machines && !suspicion.frozen(m))
      retire(m);
    for (size_t c = 0; c < kChannels; ++c) {
      float* ring = &cell(m, c, 0);
      std::copy(ring + 1, ring + o_.cells, ring);
      ring[o_.cells - 1] = cells[m * kChannels + c];
    }
  }
  ++pushed_;
}

void Level::forget(size_t machine) {
  past_[machine] = {};
  for (size_t c = 0; c < kChannels; ++c)
    std::fill_n(&cell(machine, c, 0), o_.cells, kNoLevel);
}

Level::PastMeans Level::past(size_t machine) const {
  PastMeans out{past_[machine].count};
  std::ranges::copy(past_[machine].mean, out.begin() + 1);
  return out;
}

void Level::set_past(size_t machine, const PastMeans& past) {
  past_[machine] = {};
  past_[machine].count = past[0];
  std::copy(past.begin() + 1, past.end(), past_[machine].mean.begin());
}

std::array<Noise*, 2 * kTested> Level::noises() {
  return {&absolute_[0], &absolute_[1], &absolute_[2], &relative_[0], &relative_[1], &relative_[2]};
}

// Returns each statistic's difference between its value in the window and the value expected from the
// machine's past.
Level::Difference Level::difference(size_t machine) const {
  Difference d;
  d.whole = past_[machine].count >= float(o_.cells);
  for (size_t c = 0; c < kChannels && d.whole; ++c) {
    if (!o_.quantiles && (c == kUpper || c == kLower))
      continue;
    const float v = statistic(machine, c, o_.cells - window(c));
    d.whole = d.whole && !std::isnan(v);
    d.value[c] = float(double(v) - expected(machine, c, statistic(o_.machines, c, o_.cells - window(c))));
  }
  return d;
}

// Returns whether a change lasts for the window and is no burst: all but two of its cells must show half of
// the change.
bool Level::lasts(size_t machine, double change) const {
  size_t cells = 0;
  size_t there = 0;
  for (size_t i = 0; i < o_.cells; ++i) {
    const double off = double(cell(machine, kMean, i) - middle_[kMean]) -
                       expected(machine, kMean, cell(o_.machines, kMean, i));
    if (std::isnan(off))
      continue;
    ++there;
    cells += off * change > 0 && 2 * std::abs(off) >= std::abs(change);
  }
  return cells + 2 >= there;
}

// Subtracts the median of the differences. Of the two middle machines of an even number, one may be faulty,
// so the one whose level changed less is the reference.
void Level::subtract_median(size_t channel, const Suspicion& suspicion) {
  std::vector<std::pair<float, float>> values;  // difference, and how far the machine moved itself
  for (size_t m = 0; m < o_.machines; ++m) {
    if (now_[m].whole && !suspicion.machines[m])
      values.emplace_back(now_[m].value[channel], std::abs(now_[m].value[kRaw]));
  }
  middle_[channel] = 0;
  if (values.size() < 3)
    return;
  const auto upper = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, upper);
  const auto lower = std::max_element(values.begin(), upper);
  const bool even = values.size() % 2 == 0;
  middle_[channel] = even && lower->second < upper->second ? lower->first : upper->first;
  for (Difference& d : now_)
    d.value[channel] -= middle_[channel];
}

// Returns the present spread of the machines' differences in one statistic, weighted with that of the past
// when peers are few, and the thresholds. The spread is 0 when all peers have equal values.
Level::Thresholds Level::thresholds(Channel channel, double z) const {
  std::vector<float> sizes;
  double past = 0;
  for (size_t m = 0; m < now_.size(); ++m) {
    if (!now_[m].whole)
      continue;
    sizes.push_back(std::abs(now_[m].value[channel]));
    past += std::pow(absolute_[channel].spread(m), 2);
  }
  Thresholds by{1, double(sizes.size()), absolute_[channel].threshold(z), relative_[channel].threshold(z)};
  if (!o_.against_peers || sizes.size() < 3)
    return by;
  const double now = evidence::kSigmaOfMad * double(evidence::upper_median_reordering(std::span(sizes)));
  const double spread = std::sqrt((by.peers * now * now + kPrior * past / by.peers) / (by.peers + kPrior));
  by.present = spread == 0 || std::ranges::max(sizes) == 0 ? 0 : std::max(kLeastSpread, spread);
  return by;
}

// Returns a change in multiples of two thresholds: `absolute` by the noise of the past on the metric's scale,
// `relative` by the noise in units of the peers' present scatter. Until the latter noise is known, the
// machine is assumed to vary as its peers do.
Level::Test Level::in_thresholds(size_t m, Channel channel, double change, const Thresholds& by) const {
  const double widened = std::sqrt(1 + double(o_.cells) / double(past_[m].count));
  const auto unit = [&](double spread, double freedom) {
    return normal_equivalent(change / (widened * std::hypot(spread, kLeastSpread)), freedom);
  };
  const Noise &past = absolute_[channel], &ratio = relative_[channel];
  const double relative =
      ratio.known() ? unit(ratio.spread(m) * by.present, ratio.freedom(m)) : unit(by.present, by.peers);
  return {float(unit(past.spread(m), past.freedom(m)) / by.absolute), float(relative / by.relative)};
}

// Tests one statistic of one machine.
Deviation Level::test(size_t m, Channel channel, const Thresholds& by) {
  const double change = double(now_[m].value[channel]);
  const double widened = std::sqrt(1 + double(o_.cells) / double(past_[m].count));
  tests_[m][channel] = {float(change / widened), float(change / widened / by.present)};
  const Test score = in_thresholds(m, channel, change, by);
  Deviation deviation;
  deviation.beside = score.absolute;
  // The peers' present scatter of means may be small by chance, so the smaller of both scores counts. Their
  // scatter of quantiles is reliable, so the score relative to it has twice the weight of the other.
  const float size = channel == kMean ? std::min(std::abs(score.relative), std::abs(score.absolute))
                                      : std::cbrt(score.relative * score.relative * std::abs(score.absolute));
  deviation.score = std::copysign(size, float(change));
  deviation.shown = std::max(std::abs(deviation.score), std::abs(deviation.beside));
  deviation.change = float(change);
  deviation.raw = now_[m].value[kRaw];
  deviation.past = past_[m].mean[kMean];
  deviation.channel = channel;
  deviation.judged = true;
  return deviation;
}

// Replaces the difference of a quantile by a weighted mean of itself and the difference of kMean. Both
// follow the same shift with separate noise, and the weights are those of the least variance.
void Level::combine(Channel quantile) {
  const double of_mean = 1 / (single_[kMean].variance() + kLeastSpread * kLeastSpread);
  const double of_quantile = 1 / (single_[quantile].variance() + kLeastSpread * kLeastSpread);
  for (Difference& d : now_) {
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
  if (deviation.channel != kMean)
    return dips.z_of(
               m,
               deviation.channel == kUpper,
               std::abs(double(now_[m].single[deviation.channel])),
               o_.rows_a_quantile) /
           z;
  return change / by_chance(m, dips, z);
}

// Tests one statistic of all machines and keeps the strongest score of each machine in `out`.
void Level::judge(Channel channel, double z, const Dips& dips, std::vector<Deviation>& out) {
  const Thresholds by = thresholds(channel, z);
  for (size_t m = 0; m < o_.machines; ++m) {
    if (!now_[m].whole)
      continue;
    Deviation deviation = test(m, channel, by);
    if (!may_show(channel) || (channel == kUpper && deviation.change > 0) ||
        (channel == kLower && deviation.change < 0))
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
  for (size_t m = 0; m < o_.machines; ++m)
    now_[m] = difference(m);
  for (size_t c = 0; c < kTested && o_.against_peers; ++c)
    subtract_median(c, suspicion);
  for (Difference& d : now_)
    std::copy_n(d.value.begin(), kTested, d.single.begin());
  for (const Channel c : {kUpper, kLower}) {
    if (o_.quantiles)
      combine(c);
  }
  for (size_t c = 0; c < kTested; ++c) {
    if (c == kMean || o_.quantiles)
      judge(Channel(c), z, dips, out);
  }
  if (pushed_ % o_.cells == 0)
    learn(suspicion);
}

void Level::learn(const Suspicion& suspicion) {
  for (size_t m = 0; m < o_.machines; ++m) {
    Past& past = past_[m];
    for (size_t c = 0; c < kTested; ++c) {
      if (c != kMean && !o_.quantiles)
        continue;
      if (past.has_pending && !suspicion.frozen(m)) {
        const auto size = [&](float difference) {
          return double(c == kMean ? std::abs(difference) : c == kUpper ? -difference : difference);
        };
        const Test& t = past.pending[c];
        absolute_[c].learn(m, double(t.absolute), size(t.absolute));
        relative_[c].learn(m, double(t.relative), size(t.relative));
        single_[c].learn(m, double(past.pending_single[c]), 0);
      }
      past.pending[c] = tests_[m][c];
      past.pending_single[c] = now_[m].single[c];
    }
    past.has_pending = now_[m].whole && !suspicion.frozen(m);
  }
  expect_noisy();
  for (size_t c = 0; c < kTested; ++c) {
    if (o_.against_peers)
      estimate_slopes(Channel(c));
    single_[c].refresh();
    absolute_[c].refresh();
    relative_[c].refresh();
  }
}

// Sets the expected noise of machines that are noisier than their peers, from single cells. A noisy machine
// is noisy at every length of window, and its cells show that long before its few windows do.
void Level::expect_noisy() {
  std::vector<float> variances;
  for (const Past& past : past_) {
    if (past.count >= float(o_.cells))
      variances.push_back(past.response[kMean].own);
  }
  if (variances.size() < 3)
    return;
  const float typical = evidence::upper_median_reordering(std::span(variances));
  for (size_t m = 0; m < o_.machines && typical > 0; ++m) {
    const Response& r = past_[m].response[kMean];
    // Two standard errors are subtracted, so that a single burst does not make a machine noisy.
    const float surely = r.own - 2 * std::sqrt(std::max(0.0F, r.scatter / past_[m].count));
    const double times = past_[m].count >= float(o_.cells) ? std::max(1.0, double(surely / typical)) : 1;
    for (Noise* noise : noises())
      noise->expect(m, times);
    for (Noise& noise : single_)
      noise.expect(m, times);
  }
}

size_t Level::cells_since_change(size_t machine, Channel channel) const {
  double sum = 0;
  double best = -1;
  size_t since = 1;
  for (size_t n = 1; n <= o_.cells; ++n) {
    const float v = cell(machine, channel, o_.cells - n);
    if (!std::isnan(v))
      sum += double(v) - expected(machine, channel, cell(o_.machines, channel, o_.cells - n));
    if (sum * sum / double(n) > best) {
      best = sum * sum / double(n);
      since = n;
    }
  }
  return since;
}

// Returns the standard deviation of single cells around their expected value.
double Level::cell_spread(size_t machine) const {
  const Response& r = past_[machine].response[kMean];
  const double answered = double(r.slope * r.together);  // variance that the response to the peers explains
  return std::sqrt(std::max(0.0, double(r.own) - answered));
}

// Returns whether a change of this size reaches the threshold, a score of one. Among more than four machines
// it must also exceed the present scatter of the peers, as a single suspect must (raise.cc).
bool Level::exceeds(size_t m, Channel channel, double change, const Thresholds& by) const {
  const Test score = in_thresholds(m, channel, change, by);
  if (4 >= o_.machines || !o_.against_peers)
    return score.absolute >= 1;
  return channel == kMean ? std::min(score.relative, score.absolute) >= 1
                          : score.relative * score.relative * score.absolute >= 1;
}

// Returns the smallest change of a machine that one statistic finds with 95 % probability: the smallest
// change that passes each condition of a finding, plus the noise that may hide it.
double Level::needed(size_t m, Channel channel, const Thresholds& by, double z, const Dips& dips) const {
  const double missed = normal_upper(kMissed);
  const double widened = std::sqrt(1 + double(o_.cells) / double(past_[m].count));
  double low = 0, high = kLeastSpread;
  while (!exceeds(m, channel, high, by) && high < kMostChange)
    high *= 2;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (exceeds(m, channel, middle, by) ? high : low) = middle;
  }
  double least = high + missed * widened * absolute_[channel].spread(m);
  // A change counts only when all but two of the window's cells show half of it (lasts()).
  const double hidden = kTwoAtMost / double(o_.cells);
  least = std::max(least, 2 * normal_upper(hidden) * cell_spread(m));
  if (channel != kMean)
    least = std::max(
        least,
        dips.least_change(channel == kUpper, z, o_.rows_a_quantile) + missed * single_[channel].spread(m));
  else if (const double moved = by_chance(m, dips, z); moved > 0)
    least = std::max(least, moved + missed * absolute_[kMean].spread(m));
  return least;
}

double Level::detectable(Channel channel, double z, const Dips& dips) const {
  constexpr size_t kLookedAt = 64;  // number of machines that are examined
  const Thresholds by = thresholds(channel, z);
  std::vector<double> sizes;
  for (size_t m = 0; m < o_.machines; m += 1 + o_.machines / kLookedAt) {
    if (past_[m].count >= float(o_.cells))
      sizes.push_back(needed(m, channel, by, z, dips));
  }
  if (sizes.empty())
    return 0;
  std::ranges::sort(sizes);
  return sizes[size_t((1 - kMissed) * double(sizes.size() - 1) + 0.5)];
}

double Level::detectable(double z, const Dips& dips, Slow slow) const {
  double worst = 0;
  for (const auto& [quantile, side] : {std::pair{kUpper, Slow::Low}, {kLower, Slow::High}}) {
    if (slow != Slow::Unknown && slow != side)
      continue;
    double least = INFINITY;
    for (const Channel c : {kMean, quantile}) {
      const double size = may_show(c) ? detectable(c, z, dips) : 0;
      if (size > 0)
        least = std::min(least, size);
    }
    worst = std::max(worst, least);
  }
  return worst < kMostChange ? worst : 0;
}

}  // namespace lento::fleet
