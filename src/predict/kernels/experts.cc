// Times a layer of experts on one device.
//
//   rows      of each expert, padded to whole tiles of `tile` rows
//   weights   of the experts that received a token, read once
//   compute   2 * rows * hidden * width * products / (share * peak)
//   memory    weights / (share * bandwidth), and `traffic` times the rows that are gathered and summed, and
//             `whole` times the rows of all other devices, which are sorted and skipped
//   fill      tiles that do not fill the units: compute and memory grow by 1 + wave * units / tiles
//   time      launch + each * experts here + (compute^4 + memory^4)^(1/4) * fill + rows moved
//
// The popularity of experts follows a power law. It is evaluated at the quantiles of the distribution
// instead of by random draws. The experts are dealt to the devices in a fixed shuffled order, and the
// busiest device is timed.
#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "predict/kernels/kernels.h"
#include "predict/kernels/scalars.h"

namespace lento::predict {
namespace {

constexpr int64_t kMostPoints = 256;  // most quantiles; beyond, one quantile represents several experts
constexpr size_t kMostBuckets = 24;   // most groups of experts with similar numbers of rows

// Returns the weights of `points` experts: the quantiles of x^-skew between `low` and `high`.
std::vector<double> popularity(int64_t points, double skew, double low, double high) {
  const double power = 1 - skew;
  const bool logarithmic = std::abs(power) < 1e-6;
  const double from = logarithmic ? std::log(low) : std::pow(low, power);
  const double to = logarithmic ? std::log(high) : std::pow(high, power);
  std::vector<double> out(static_cast<size_t>(points));
  for (size_t i = 0; i < out.size(); ++i) {
    const double at = from + (to - from) * (double(i) + 0.5) / double(points);
    out[i] = logarithmic ? std::exp(at) : std::pow(at, 1 / power);
  }
  return out;
}

// Distributes the weights in a fixed shuffled order over groups of equal size, and returns the group with the
// largest sum.
std::vector<double> busiest(std::vector<double> weights, size_t groups) {
  if (groups <= 1)
    return weights;
  std::vector<std::pair<uint64_t, double>> dealt;
  for (size_t i = 0; i < weights.size(); ++i)
    dealt.emplace_back(base::mix64(i), weights[i]);
  std::ranges::sort(dealt);
  const size_t size = std::max<size_t>(1, weights.size() / groups);
  size_t best = 0;
  double most = -1;
  for (size_t g = 0; (g + 1) * size <= dealt.size(); ++g) {
    double sum = 0;
    for (size_t i = g * size; i < (g + 1) * size; ++i)
      sum += dealt[i].second;
    if (sum > most) {
      most = sum;
      best = g;
    }
  }
  std::vector<double> out;
  for (size_t i = best * size; i < (best + 1) * size; ++i)
    out.push_back(dealt[i].second);
  return out;
}

using Bucket = PreparedKernel::Bucket;

// Sorts the experts by rows and merges neighbours into at most kMostBuckets buckets, to bound the cost of a
// prediction.
std::vector<Bucket> buckets_of(std::vector<double> rows, double experts_each) {
  std::erase_if(rows, [](double r) {
    return r < 0.5;  // an expert with less than half a row is idle
  });
  std::ranges::sort(rows);
  std::vector<Bucket> out;
  const size_t buckets = std::min(kMostBuckets, rows.size());
  for (size_t b = 0; b < buckets; ++b) {
    const size_t from = b * rows.size() / buckets;
    const size_t to = (b + 1) * rows.size() / buckets;
    double sum = 0;
    for (size_t i = from; i < to; ++i)
      sum += rows[i];
    out.push_back({experts_each * double(to - from), sum / double(to - from)});
  }
  return out;
}

// Returns the rows of each expert when all are equally popular. With random choice some experts get no
// token.
std::vector<Bucket> balanced_buckets(const ExpertLayer& l, double local) {
  const double rows = double(l.tokens) * double(l.chosen) / l.expert;
  double active = std::min(local, std::max(1.0, rows));
  if (l.random) {
    const double missed = std::pow(1 - double(l.chosen) / double(l.experts), double(l.tokens));
    active = std::max(1.0, local * (1 - missed));
  }
  return {{active, std::max(1.0, rows) / active}};
}

// Returns the rows of the experts on the busiest device when popularity follows a power law.
std::vector<Bucket> skewed_buckets(const ExpertLayer& l) {
  const double assignments = double(l.tokens) * double(l.chosen);
  const int64_t points = std::min<int64_t>(kMostPoints, l.experts);
  const double experts_each = double(l.experts) / double(points);
  // When there are fewer assignments than experts most experts get no token, so the power law extends below
  // one token.
  const bool few = assignments <= double(l.experts);
  std::vector<double> weights = few ? popularity(points, l.skew, 0.01, 2)
                                    : popularity(points, l.skew, 1, std::max(2.0, 0.8 * double(l.tokens)));
  double sum = 0;
  for (const double w : weights)
    sum += w * experts_each;
  for (double& w : weights)
    w *= assignments / sum;
  // No expert gets a token twice.
  for (double& w : weights)
    w = std::min(w, double(l.tokens));
  std::vector<Bucket> out = buckets_of(busiest(std::move(weights), size_t(l.expert)), experts_each);
  if (out.empty())
    out.push_back({std::max(1.0, assignments / l.expert), 1});
  return out;
}

}  // namespace

// Collects all sizes that the timing formula of an expert layer needs, with the rows of each expert.
PreparedKernel prepare(const Chip& chip, const ExpertLayer& l) {
  PreparedKernel p;
  p.kind = FusedKind::Experts;
  p.peak_flops = peak_of(chip, l.format.arithmetic);
  p.memory_Bps = chip.memory_Bps;
  p.cache_bytes = chip.cache_bytes;
  p.units = chip.units;
  p.tokens = double(l.tokens);
  p.assignments = double(l.tokens) * double(l.chosen);
  p.hidden = double(l.hidden);
  p.inner = double(l.inner) / l.tensor;
  p.products = l.gated ? 3 : 2;
  p.stored_bytes = l.format.stored_bytes;
  p.local_experts = std::max(1.0, double(l.experts) / l.expert);
  p.load = l.skew > 0 ? skewed_buckets(l) : balanced_buckets(l, p.local_experts);
  return p;
}

// Times a layer of experts on one device (formula at the top of this file).
FusedTime time_experts(const PreparedKernel& p, const KernelScalars& x) {
  const double tile = x[kTile];
  double rows = 0;
  double padded = 0;
  double active = 0;
  for (const PreparedKernel::Bucket& b : p.load) {
    rows += b.experts * b.rows;
    padded += b.experts * std::ceil(b.rows / tile - 1e-9) * tile;
    active += b.experts;
  }
  constexpr double kColumns = 128;  // columns of a tile of the product
  const double tiles =
      padded / tile * std::max(1.0, std::min(p.inner * (p.products - 1), p.hidden) / kColumns);
  const double fill = 1 + x[kWave] * p.units / tiles;
  const double weights = active * p.hidden * p.inner * p.products * p.stored_bytes;
  const double moved = rows * (2 * p.hidden + p.products * p.inner) * 2;
  FusedTime t;
  t.launch_s = (x[kLaunch] + x[kEach] * p.local_experts) * 1e-6;
  t.compute_s = 2 * padded * p.hidden * p.inner * p.products / (p.peak_flops * x[kCompute]) * fill;
  const double read = weights / (p.memory_Bps * x[kMemory]) * fill;
  // Kernels that hold only their own experts still sort and skip the rows of the others.
  const double others = std::max(0.0, p.assignments - rows) * 2 * p.hidden * 2;
  const double stream = (x[kTraffic] * moved + x[kWhole] * others) / p.memory_Bps;
  t.memory_s = read + stream;
  const double both = std::sqrt(std::sqrt(std::pow(t.compute_s, 4) + std::pow(read, 4)));
  t.seconds = t.launch_s + both + stream;
  return t;
}

}  // namespace lento::predict
