#include "fleet/detect/minder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "fleet/detect/pca.h"

namespace lento::fleet {
namespace {

constexpr size_t W = vae::kWindow;

// Lanes padded to 16 so that every kernel may read whole vectors.
size_t padded(size_t n) { return (n + 15) / 16 * 16; }

// One metric on the grid, normalised; missing samples take the machine's last value, else the middle.
struct Plane {
  size_t stride = 0;
  std::vector<float> x;  // [step][stride]
};

Plane normalised_plane(const trace::MetricSeries& s, size_t metric, const MetricModel& model) {
  const size_t machines = s.machines.size();
  Plane p{padded(machines), {}};
  p.x.assign(s.steps * p.stride, 0.5f);
  const float scale = static_cast<float>(1 / std::max(model.high - model.low, 1e-12));
  const float low = static_cast<float>(model.low);
  for (size_t t = 0; t < s.steps; ++t) {
    const float* from = s.row(metric, t).data();
    float* to = p.x.data() + t * p.stride;
    const float* last = t ? to - p.stride : to;
    for (size_t m = 0; m < machines; ++m) {
      const float v = std::clamp((from[m] - low) * scale, -0.5f, 1.5f);
      to[m] = from[m] == from[m] ? v : last[m];
    }
  }
  return p;
}

size_t metric_index(const trace::MetricSeries& s, const std::string& name) {
  const auto at = std::find(s.metrics.begin(), s.metrics.end(), name);
  if (at == s.metrics.end()) {
    throw base::Error({}, "the model's metric '" + name + "' is not in the data",
                      base::suggestion(name, s.metrics));
  }
  return static_cast<size_t>(at - s.metrics.begin());
}

// The embedding of window t into e[dims][stride].
class Embedder {
 public:
  Embedder(const trace::MetricSeries& s, const FleetModel& model, const std::vector<size_t>& which,
           const MinderOptions& o)
      : options_(o), machines_(s.machines.size()), stride_(padded(machines_)) {
    for (const size_t k : which) {
      models_.push_back(&model.metrics[k]);
      planes_.push_back(normalised_plane(s, metric_index(s, model.metrics[k].metric), model.metrics[k]));
    }
    if (o.fusion == Fusion::Integrate && planes_.size() > 1) {
      for (size_t i = 0; i < planes_[0].x.size(); ++i) {
        float sum = 0;
        for (const Plane& p : planes_) sum += p.x[i];
        planes_[0].x[i] = sum / static_cast<float>(planes_.size());
      }
      planes_.resize(1);
    }
  }
  size_t stride() const { return stride_; }
  size_t dims() const { return W * planes_.size(); }

  size_t embed(size_t t, std::vector<float>& e) const {
    e.resize(std::max(dims(), 4 * planes_.size()) * stride_);
    if (options_.fusion == Fusion::Mahalanobis) return embed_moments(t, e);
    for (size_t k = 0; k < planes_.size(); ++k) {
      const float* x = planes_[k].x.data() + t * stride_;
      float* out = e.data() + k * W * stride_;
      if (options_.embedding == Embedding::Raw) {
        for (size_t i = 0; i < W; ++i) std::copy_n(x + i * stride_, stride_, out + i * stride_);
      } else {
        kernel().embed(models_[k]->parameters.data(), x, stride_, stride_,
                       options_.embedding == Embedding::Latent, out, stride_);
      }
    }
    return dims();
  }

 private:
  size_t embed_moments(size_t t, std::vector<float>& e) const {
    std::vector<double> features(machines_ * 4 * planes_.size());
    for (size_t m = 0; m < machines_; ++m) {
      for (size_t k = 0; k < planes_.size(); ++k) {
        double sum = 0, central[3] = {};
        for (size_t i = 0; i < W; ++i) sum += planes_[k].x[(t + i) * stride_ + m];
        const double mean = sum / W;
        for (size_t i = 0; i < W; ++i) {
          const double d = planes_[k].x[(t + i) * stride_ + m] - mean;
          central[0] += d * d / W, central[1] += d * d * d / W, central[2] += d * d * d * d / W;
        }
        const double variance = std::max(central[0], 1e-12);
        double* f = features.data() + (m * planes_.size() + k) * 4;
        f[0] = mean, f[1] = central[0], f[2] = central[1] / std::pow(variance, 1.5),
        f[3] = central[2] / (variance * variance);
      }
    }
    return whiten(features, machines_, 4 * planes_.size(), 0.95, e, stride_);
  }

  const MinderOptions& options_;
  size_t machines_, stride_;
  std::vector<const MetricModel*> models_;
  std::vector<Plane> planes_;
};

Candidate candidate_of(const float* sums, size_t machines) {
  double mean = 0, square = 0;
  size_t best = 0;
  for (size_t m = 0; m < machines; ++m) {
    mean += sums[m];
    square += static_cast<double>(sums[m]) * sums[m];
    if (sums[m] > sums[best]) best = m;
  }
  mean /= static_cast<double>(machines);
  const double n = static_cast<double>(machines);
  const double variance = (square - n * mean * mean) / (n - 1);  // so that z is at most (n - 1) / sqrt(n)
  return {static_cast<uint32_t>(best),
          static_cast<float>((sums[best] - mean) / (std::sqrt(std::max(variance, 0.0)) + 1e-12))};
}

std::vector<size_t> draw_pivots(size_t machines, size_t count) {
  std::vector<size_t> all(machines);
  std::iota(all.begin(), all.end(), size_t{0});
  base::Rng rng(1, "minder.pivots");
  for (size_t i = 0; i < std::min(count, machines); ++i) std::swap(all[i], all[i + rng.below(machines - i)]);
  all.resize(std::min(count, machines));
  return all;
}

// Candidates of the windows [first, last) against the given pivots (all machines: exact).
void score_windows(const Embedder& embedder, size_t machines, const std::vector<size_t>& pivots,
                   const MinderOptions& o, size_t first, size_t last, std::vector<Candidate>& out) {
  constexpr size_t kChunk = 16;
  base::parallel_for((last - first + kChunk - 1) / kChunk, o.threads, [&](size_t chunk) {
    std::vector<float> e, sums(machines + 16);
    for (size_t w = first + chunk * kChunk; w < std::min(last, first + (chunk + 1) * kChunk); ++w) {
      const size_t dims = embedder.embed(w * o.stride, e);
      kernel().distances(e.data(), embedder.stride(), dims, machines, pivots.data(), pivots.size(),
                         o.distance, sums.data());
      out[w] = candidate_of(sums.data(), machines);
    }
  });
}

size_t window_count(const trace::MetricSeries& s, size_t stride) {
  return s.steps < W ? 0 : (s.steps - W) / stride + 1;
}

size_t windows_needed(const trace::MetricSeries& s, const MinderOptions& o) {
  if (!o.continuity) return 1;
  return std::max<size_t>(1, static_cast<size_t>(o.continuity_s * 1000 / static_cast<double>(s.step_ms) /
                                                 static_cast<double>(o.stride)));
}

// Screening: a verdict needs `needed` windows in a row over the threshold. Estimates from pivots rule most of
// a healthy period out; where the estimate stays within `kSlack` of the threshold for half of a needed run,
// the exact sums decide. So screening only skips windows that could not matter.
constexpr double kSlack = 0.6;

bool worth_exact(const std::vector<Candidate>& estimate, double threshold, size_t needed) {
  if (needed < 8) return true;
  size_t votes = 0;  // windows of the sliding run whose candidate equals the majority of the run's middle
  for (size_t w = 0; w + needed <= estimate.size(); w += needed / 4) {
    const uint32_t machine = estimate[w + needed / 2].machine;
    votes = 0;
    for (size_t i = w; i < w + needed; ++i)
      votes += estimate[i].machine == machine && estimate[i].z > kSlack * threshold;
    if (votes * 3 > needed) return true;
    const uint32_t other = estimate[w + needed / 3].machine;
    votes = 0;
    for (size_t i = w; i < w + needed; ++i)
      votes += estimate[i].machine == other && estimate[i].z > kSlack * threshold;
    if (votes * 3 > needed) return true;
  }
  return false;
}

std::vector<size_t> chosen_metrics(const FleetModel& model, const MinderOptions& o) {
  std::vector<size_t> which;
  for (size_t k = 0; k < model.metrics.size(); ++k) {
    const std::string& name = model.metrics[k].metric;
    if (o.metrics.empty() || std::find(o.metrics.begin(), o.metrics.end(), name) != o.metrics.end())
      which.push_back(k);
  }
  if (which.empty()) throw base::Error({}, "none of the model's metrics is to be judged");
  return which;
}

}  // namespace

std::optional<size_t> first_verdict(const std::vector<Candidate>& candidates, double threshold,
                                    size_t needed) {
  size_t run = 0;
  for (size_t w = 0; w < candidates.size(); ++w) {
    if (candidates[w].z <= threshold) {
      run = 0;
      continue;
    }
    run = run > 0 && candidates[w].machine == candidates[w - 1].machine ? run + 1 : 1;
    if (run >= needed) return w;
  }
  return {};
}

std::vector<Candidate> minder_candidates(const trace::MetricSeries& series, const FleetModel& model,
                                         size_t metric, const MinderOptions& options) {
  const size_t machines = series.machines.size();
  std::vector<size_t> which{metric};
  if (options.fusion != Fusion::PerMetric) which = chosen_metrics(model, options);
  const Embedder embedder(series, model, which, options);
  std::vector<Candidate> out(window_count(series, options.stride));
  score_windows(embedder, machines, draw_pivots(machines, machines), options, 0, out.size(), out);
  return out;
}

std::optional<MinderVerdict> minder(const trace::MetricSeries& series, const FleetModel& model,
                                    const MinderOptions& options) {
  const size_t machines = series.machines.size(), windows = window_count(series, options.stride);
  const size_t needed = windows_needed(series, options);
  const std::vector<size_t> metrics = chosen_metrics(model, options);
  if (machines < 4) throw base::Error({}, "at least 4 machines are needed to compare");
  const auto everyone = draw_pivots(machines, machines);
  const bool fused = options.fusion != Fusion::PerMetric;
  for (size_t i = 0; i < (fused ? 1 : metrics.size()); ++i) {
    const Embedder embedder(series, model, fused ? metrics : std::vector<size_t>{metrics[i]}, options);
    const double threshold = options.threshold > 0 ? options.threshold : model.metrics[metrics[i]].threshold;
    std::vector<Candidate> candidates(windows);
    if (options.pivots > 0 && machines > 4 * options.pivots) {
      score_windows(embedder, machines, draw_pivots(machines, options.pivots), options, 0, windows,
                    candidates);
      if (!worth_exact(candidates, threshold, needed)) continue;
    }
    score_windows(embedder, machines, everyone, options, 0, windows, candidates);
    if (const auto at = first_verdict(candidates, threshold, needed)) {
      return MinderVerdict{candidates[*at].machine, fused ? "all metrics" : model.metrics[metrics[i]].metric,
                           *at * options.stride + W - 1, candidates[*at].z};
    }
  }
  return {};
}

}  // namespace lento::fleet
