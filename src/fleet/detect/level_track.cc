#include "fleet/detect/level_track.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

constexpr std::array<double, 5> kQuantiles{0.10, 0.25, 0.50, 0.75, 0.90};
constexpr double kSigmaOfMad = 1.4826;   // a normal law's standard deviation over its MAD
constexpr size_t kSortedSamples = 256;   // longer windows are thinned for their quantiles, not for the mean
constexpr size_t kQuantileSamples = 32;  // shorter windows have no quantiles worth the name: the mean alone
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class Values>
double median_of(Values& v) {
  if (v.empty())
    return 0;
  const size_t half = v.size() / 2;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half), v.end());
  const double upper = v[half];
  if (v.size() % 2)
    return upper;
  return (upper + *std::max_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

// Robust spread: MAD scale, refined by the root mean square of values within 4 of it (both 0 for constants).
double spread(const std::vector<double>& values) {
  std::vector<double> magnitude;
  magnitude.reserve(values.size());
  for (const double v : values)
    magnitude.push_back(std::abs(v));
  const double mad = kSigmaOfMad * median_of(magnitude);
  double sum = 0;
  size_t n = 0;
  for (const double v : values) {
    if (mad > 0 && std::abs(v) > tuning::kOutlier.value * mad)
      continue;
    sum += v * v;
    ++n;
  }
  if (mad == 0 || n == 0)
    return 0;
  return std::max(mad, std::sqrt(sum / double(n)));
}

void running_mean(double& mean, double& count, double value) {
  count = std::min(count + 1, tuning::kMemory.value);
  mean += (value - mean) / count;
}

// Student-like widening for few peers: the spread of M machines is itself uncertain.
double few_peers(size_t machines) {
  return 1 + tuning::kFewPeers.value / double(machines - 1);
}

// The spread of a handful of machines says little about what is usual, so the floor rises as they get fewer.
double floor_share(double share, size_t machines) {
  return share + tuning::kFewPeersFloor.value / double(machines * machines);
}

// Solves the symmetric positive definite 6x6 system C w = 1 by elimination.
std::array<double, LevelTrack::kFeatures> solve_ones(
    std::array<double, LevelTrack::kFeatures * LevelTrack::kFeatures> c) {
  constexpr size_t k = LevelTrack::kFeatures;
  std::array<double, k> x;
  x.fill(1);
  for (size_t i = 0; i < k; ++i) {
    for (size_t j = i + 1; j < k; ++j) {
      const double f = c[j * k + i] / c[i * k + i];
      for (size_t l = i; l < k; ++l)
        c[j * k + l] -= f * c[i * k + l];
      x[j] -= f * x[i];
    }
  }
  for (size_t i = k; i-- > 0;) {
    for (size_t l = i + 1; l < k; ++l)
      x[i] -= c[i * k + l] * x[l];
    x[i] /= c[i * k + i];
  }
  return x;
}

// Who deviates as the strongest does. Small deviations beside a large one are its consequences (a storm
// of pause frames reaches the neighbours), not a change of the job that would excuse it.
std::vector<size_t> of_one_size(const std::vector<Judged>& judged) {
  double strongest = 0;
  for (const Judged& j : judged) {
    if (j.score >= 1)
      strongest = std::max<double>(strongest, std::abs(j.deviation));
  }
  std::vector<size_t> out;
  for (size_t m = 0; m < judged.size(); ++m) {
    if (judged[m].score >= 1 && std::abs(judged[m].deviation) >= tuning::kOfOneSize.value * strongest)
      out.push_back(m);
  }
  return out;
}

}  // namespace

LevelTrack::LevelTrack(const TrackOptions& options, size_t machines)
    : options_(options),
      feature_(machines),
      deviation_(machines),
      baseline_(machines),
      block_(machines),
      baseline_count_(machines, 0),
      own_variance_(machines, 0),
      echo_((options.n + options.stride - 1) / options.stride) {
}

double LevelTrack::combine(const Feature& f) const {
  double sum = 0;
  for (size_t i = 0; i < kFeatures; ++i)
    sum += weight_[i] * f[i];
  return sum;
}

// The features of machines [first, first + count), one lane each.
void LevelTrack::measure(const WindowReader& window, size_t first, size_t count) {
  const Kernel& k = kernel();
  const size_t n = options_.n;
  const size_t lanes = k.lanes;
  columns_.resize(n * lanes);
  for (size_t l = 0; l < lanes; ++l)
    window(first + std::min(l, count - 1), columns_.data() + l, lanes);
  std::array<double, kMaxLanes> total{};
  std::array<double, kMaxLanes> taken{};
  std::array<float, kMaxLanes> sums{};
  std::array<float, kMaxLanes> counts{};
  for (size_t b = 0; b < kBlocks; ++b) {
    k.sum_rows(columns_.data(), b * n / kBlocks, (b + 1) * n / kBlocks, sums.data(), counts.data());
    for (size_t l = 0; l < count; ++l) {
      block_[first + l][b] = counts[l] > 0 ? sums[l] / counts[l] : kNan;
      total[l] += sums[l];
      taken[l] += counts[l];
    }
  }
  const size_t rows = thin_columns(lanes, counts);
  k.sort(columns_.data(), rows);
  for (size_t l = 0; l < count; ++l) {
    Feature& f = feature_[first + l];
    f[0] = taken[l] * 4 < double(n) * 3 || counts[l] == 0 ? kNan : float(total[l] / taken[l]);
    for (size_t q = 0; q < kQuantiles.size() && counts[l] > 0; ++q) {
      const double at = kQuantiles[q] * double(counts[l] - 1);
      const size_t low = size_t(at);
      const size_t high = std::min(low + 1, size_t(counts[l]) - 1);
      const float a = columns_[low * lanes + l];
      const float b = columns_[high * lanes + l];
      f[q + 1] = a + float(at - double(low)) * (b - a);
    }
  }
}

// Keeps every so-many-th row, missing values as infinity; counts the rest of each lane. Returns the rows
// kept.
size_t LevelTrack::thin_columns(size_t lanes, std::array<float, kMaxLanes>& counts) {
  const size_t thin = (options_.n + kSortedSamples - 1) / kSortedSamples;
  size_t rows = 0;
  counts.fill(0);
  for (size_t i = 0; i < options_.n; i += thin, ++rows) {
    for (size_t l = 0; l < lanes; ++l) {
      const float v = columns_[i * lanes + l];
      counts[l] += v == v;
      columns_[rows * lanes + l] = v == v ? v : std::numeric_limits<float>::infinity();
    }
  }
  return rows;
}

void LevelTrack::subtract_peers(const std::vector<size_t>& present) {
  std::vector<float> column(present.size());
  for (size_t f = 0; f < kFeatures; ++f) {
    for (size_t i = 0; i < present.size(); ++i)
      column[i] = feature_[present[i]][f];
    median_[f] = float(median_of(column));
    for (const size_t m : present)
      deviation_[m][f] = feature_[m][f] - median_[f];
  }
  for (size_t b = 0; b < kBlocks; ++b) {
    column.clear();
    for (const size_t m : present) {
      if (!std::isnan(block_[m][b]))
        column.push_back(block_[m][b]);
    }
    const float mid = float(median_of(column));
    for (const size_t m : present)
      block_[m][b] -= mid;
  }
}

void LevelTrack::learn_weights(const std::vector<size_t>& present) {
  std::vector<double> size;
  for (const size_t m : present)
    size.push_back(std::abs(deviation_[m][0]));
  const double limit = tuning::kOutlier.value * kSigmaOfMad * median_of(size);
  std::array<double, kFeatures * kFeatures> now{};
  double n = 0;
  for (const size_t m : present) {
    if (std::abs(deviation_[m][0]) > limit)
      continue;  // an outlier says nothing about noise
    ++n;
    for (size_t i = 0; i < kFeatures; ++i) {
      for (size_t j = 0; j < kFeatures; ++j) {
        now[i * kFeatures + j] += double(deviation_[m][i]) * deviation_[m][j];
      }
    }
  }
  if (n < 2)
    return;
  const double rate = 1 / std::min<double>(double(evaluations_), tuning::kMemory.value);
  for (size_t i = 0; i < now.size(); ++i)
    scatter_[i] += (now[i] / n - scatter_[i]) * rate;
  auto ridged = scatter_;
  for (size_t i = 0; i < kFeatures; ++i)
    ridged[i * kFeatures + i] +=
        tuning::kRidge.value * scatter_[i * kFeatures + i] + tuning::kSharedRidge.value * scatter_[0];
  if (scatter_[0] <= 0 || options_.n < kQuantileSamples ||
      double(evaluations_ * present.size()) < tuning::kFirstWeights.value)
    return;  // too early: the mean
  auto w = solve_ones(ridged);
  double sum = 0;
  for (double& x : w)
    sum += x = std::isfinite(x) ? std::max(x, 0.0) : 0.0;
  if (sum <= 0)
    return;
  for (size_t i = 0; i < kFeatures; ++i)
    weight_[i] = w[i] / sum;
}

// What was normal for this machine, shrunk while little is known of it, in the same units or in proportion to
// the peers' level: a machine that is itself in either sense has not changed.
double LevelTrack::normal_offset(size_t m, double r, double level, double& scale) const {
  const double known = combine(baseline_[m]) * baseline_count_[m] / (baseline_count_[m] + 2);
  const double proportion = baseline_level_ != 0 ? level / baseline_level_ : 1;
  scale = std::abs(r - known * proportion) < std::abs(r - known) ? proportion : 1;
  return known * scale;
}

// Continuity (tuning::kSteadyBlocks.value, tuning::kBlockShare.value, tuning::kRest.value,
// tuning::kClear.value): enough blocks deviate like the whole, the deviation does not hang on its strongest
// three, and it has no break where noise alone could not have made one.
void LevelTrack::judge_continuity(size_t m, double own, Judged& j) const {
  std::array<double, kBlocks> part;  // each block's deviation as a share of the whole
  bool broken = false;
  j.blocks = 0;
  for (size_t b = 0; b < kBlocks; ++b) {
    part[b] = std::isnan(block_[m][b]) ? 0 : (block_[m][b] - own) / j.deviation;
    const bool like = part[b] >= tuning::kBlockShare.value;
    broken = broken || (!like && j.blocks > 0);
    j.blocks = uint8_t(j.blocks + like);
  }
  const bool clear = (1 - tuning::kBlockShare.value) * std::abs(j.deviation) >
                     tuning::kClear.value * std::sqrt(block_variance_);
  std::ranges::sort(part);
  j.rest = float(std::accumulate(part.begin(), part.end() - 3, 0.0) / double(kBlocks - 3));
  j.steady = j.blocks >= tuning::kSteadyBlocks.value &&
             j.rest >= (j.score < tuning::kWeak.value ? tuning::kRestWhenWeak.value : tuning::kRest.value) &&
             !(broken && clear);
}

LevelTrack::Offsets LevelTrack::offsets_of(const std::vector<size_t>& present, double level) {
  const size_t n = present.size();
  Offsets o;
  o.level.assign(n, 0);
  o.change.assign(n, 0);
  o.free.assign(n, 0);
  std::vector<float> changes(feature_.size(), kNan);
  o.scale.assign(n, 1);
  for (size_t i = 0; i < n; ++i) {
    const size_t m = present[i];
    o.level[i] = combine(deviation_[m]);
    if (baseline_count_[m] < tuning::kMinBaselines.value)
      continue;
    o.change[i] = o.level[i] - normal_offset(m, o.level[i], level, o.scale[i]);
    o.free[i] = o.change[i] - (options_.trust_history ? 0 : echo_.of(m));
    o.known.push_back(o.free[i]);
    changes[m] = float(o.change[i]);
  }
  echo_.see(std::move(changes));
  return o;
}

// What levels are usual, for a floor under all spreads.
void LevelTrack::remember_levels(const std::vector<size_t>& present, double level) {
  const double memory = std::min<double>(double(evaluations_), tuning::kMemory.value);
  typical_level_ += (std::abs(level) - typical_level_) / memory;
  for (const size_t m : present) {
    for (const float f : feature_[m])
      largest_ = std::max<double>(largest_, std::abs(f));
  }
}

LevelTrack::Scales
LevelTrack::scales_of(const std::vector<size_t>& present, const Offsets& offsets, double level) {
  const size_t n = present.size();
  const double share = floor_share(options_.floor_share, n);
  Scales s;
  s.floor = std::max(
      {share * std::abs(level),
       share * typical_level_,
       tuning::kFloorOfLargest.value * share * largest_,
       1e-30});
  s.level_now = spread(offsets.level);
  s.change_now = spread(offsets.known);
  if (evaluations_ == 1)
    level_variance_ = s.level_now * s.level_now;
  // Of few machines the spread of one look is large by chance: it counts beyond its own error.
  const double beyond = s.level_now / (1 + tuning::kSpreadError.value / std::sqrt(double(n)));
  s.level = std::hypot(std::max(beyond, std::sqrt(level_variance_)), s.floor) * few_peers(n);
  s.change = std::max(s.change_now, std::sqrt(change_variance_));
  s.past = change_count_ >= tuning::kFirstPast.value && offsets.known.size() * 2 >= n;
  for (const size_t m : present)
    s.mean_own += own_variance_[m] / double(n);
  return s;
}

// A machine is at least half as noisy as all are in the mean, and the more is known of it the more it counts
// that it is noisier.
double LevelTrack::own_variance(size_t m, double mean) const {
  const double weight = baseline_count_[m] / (baseline_count_[m] + tuning::kKnown.value);
  const double half = (mean + own_variance_[m]) / 2;
  if (options_.trust_history)
    return half;
  return std::max(half, mean + weight * (own_variance_[m] - mean));
}

// The level test retires for a machine whose offset was accepted as normal long ago.
LevelTrack::Tests LevelTrack::test(size_t m, double offset, double change, const Scales& s) const {
  const bool known = s.past && baseline_count_[m] >= tuning::kKnown.value;
  const double own_sd = known ? std::sqrt(own_variance(m, s.mean_own)) : s.change;
  const bool alone = known && options_.trust_history;
  Tests t;
  t.change_sd = std::hypot(alone ? own_sd : std::max(own_sd, s.change_now), s.floor);
  if (!known)
    t.by_level = std::abs(offset) / (options_.z_level * s.level);
  if (s.past && baseline_count_[m] >= tuning::kMinBaselines.value)
    t.by_change = std::abs(change) / (options_.z_change * t.change_sd);
  return t;
}

void LevelTrack::learn_own(size_t m, double change) {
  const float square = float(change * change);
  const float looks = baseline_count_[m] * (options_.trust_history ? 1 : float(looks_an_entry()));
  const float memory = std::min<float>(looks + 1, float(tuning::kOwnMemory.value));
  own_variance_[m] += (square - own_variance_[m]) / memory;
}

double LevelTrack::quiet_blocks(size_t m) const {
  double sum = 0;
  for (const float block : block_[m])
    sum += std::isnan(block) ? 0 : block * block / kBlocks;
  return sum;
}

bool LevelTrack::judge(const std::vector<size_t>& present, std::vector<Judged>& out) {
  const size_t n = present.size();
  const double level = combine(median_);
  const Offsets offsets = offsets_of(present, level);
  remember_levels(present, level);
  const Scales scales = scales_of(present, offsets, level);
  double quiet = 0;
  double quiet_count = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t m = present[i];
    const Tests t = test(m, offsets.level[i], offsets.free[i], scales);
    const bool changed = t.by_change > t.by_level;
    Judged& j = out[m];
    j.judged = true;
    j.level = float(level + offsets.level[i]);
    j.score = float(std::min(std::max(t.by_level, t.by_change), tuning::kMaxScore.value));
    j.deviation = float(changed ? offsets.change[i] : offsets.level[i]);
    const double echo = offsets.change[i] - offsets.free[i];
    j.threshold = float(
        changed ? std::abs(std::copysign(options_.z_change * t.change_sd, offsets.free[i]) + echo)
                : options_.z_level * scales.level);
    if (j.score > tuning::kWorthALook.value)
      judge_continuity(m, changed ? baseline_[m][0] * offsets.scale[i] : 0, j);
    if (j.score < tuning::kAtRest.value) {
      quiet += quiet_blocks(m);
      ++quiet_count;
    }
    if (scales.past && t.by_change < tuning::kAtRest.value)
      learn_own(m, offsets.free[i]);
  }
  together_ = of_one_size(out);
  const bool job_wide = together_.size() > std::max<size_t>(2, n / size_t(tuning::kJobWide.value));
  if (!job_wide)
    together_.clear();
  if (job_wide && double(evaluations_) >= tuning::kFirstLooks.value)
    return false;
  running_mean(level_variance_, level_count_, scales.level_now * scales.level_now);
  if (!offsets.known.empty())
    running_mean(change_variance_, change_count_, scales.change_now * scales.change_now);
  if (quiet_count > 0)
    running_mean(block_variance_, block_count_, quiet / quiet_count);
  return !job_wide;
}

// A burst shorter than half the window bends the mean and the outer quantiles away from the median by more
// than noise explains: such a window does not show what is normal.
bool LevelTrack::shows_burst(const Feature& f) const {
  for (size_t i = 0; i < kFeatures; ++i) {
    if (std::abs(f[i] - f[3]) > tuning::kBurst.value * std::sqrt(scatter_[i * kFeatures + i]))
      return true;
  }
  return false;
}

// Enters deviations that are over a horizon old, so that a fault under way does not become normal.
void LevelTrack::learn_baselines(const std::vector<size_t>& present, const std::vector<Judged>& out) {
  if (evaluations_ % looks_an_entry() != 0)
    return;
  Feature none;
  none.fill(kNan);
  std::vector<Feature> now(feature_.size(), none);
  for (const size_t m : present) {
    if (out[m].score < tuning::kAtRest.value && !shows_burst(deviation_[m]))
      now[m] = deviation_[m];
  }
  pending_.push_back({std::move(now), combine(median_)});
  if (pending_.size() <= 5)
    return;
  const std::vector<Feature>& old = pending_.front().deviation;
  running_mean(baseline_level_, baseline_level_count_, pending_.front().level);
  for (size_t m = 0; m < old.size(); ++m) {
    if (std::isnan(old[m][0]) || out[m].score >= tuning::kAtRest.value)
      continue;
    baseline_count_[m] = std::min<float>(baseline_count_[m] + 1, float(tuning::kBaselineMemory.value));
    for (size_t f = 0; f < kFeatures; ++f)
      baseline_[m][f] += (old[m][f] - baseline_[m][f]) / baseline_count_[m];
  }
  pending_.pop_front();
}

bool LevelTrack::evaluate(const WindowReader& window, std::vector<Judged>& out, PeerBand& band) {
  const size_t machines = feature_.size();
  out.assign(machines, {});
  together_.clear();
  std::vector<size_t> present;
  for (size_t m = 0; m < machines; m += kernel().lanes)
    measure(window, m, std::min(kernel().lanes, machines - m));
  for (size_t m = 0; m < machines; ++m) {
    if (!std::isnan(feature_[m][0]))
      present.push_back(m);
  }
  if (present.size() < options_.min_peers)
    return false;
  ++evaluations_;
  subtract_peers(present);
  learn_weights(present);
  const bool ok = judge(present, out);
  if (ok)
    learn_baselines(present, out);
  std::vector<float> levels;
  for (const size_t m : present)
    levels.push_back(out[m].level);
  std::ranges::sort(levels);
  band = {
      levels[levels.size() / 10],
      levels[levels.size() / 2],
      levels[levels.size() - 1 - levels.size() / 10]};
  return ok;
}

}  // namespace lento::fleet
