// Embeds the windows of all machines, sums distances, and applies the rule that one machine must differ most
// for long enough.
#include "fleet/minder/minder.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace lento::fleet {
namespace {

constexpr size_t W = vae::kWindow;

// Computes the embedding of window t into e[dims][stride].
class Embedder {
 public:
  Embedder(
      const MetricSeries& s,
      const FleetModel& model,
      const std::vector<size_t>& which,
      const MinderOptions& o)
      : options_(o),
        machines_(s.machines.size()),
        stride_(padded(machines_)) {
    for (const size_t k : which) {
      models_.push_back(&model.metrics[k]);
      const size_t column = metric_index(s, model.metrics[k].metric);
      planes_.push_back(normalised_plane(s, column, bounds_of(s, column)));
    }
    if (o.fusion == Fusion::Integrate && planes_.size() > 1) {
      for (size_t i = 0; i < planes_[0].x.size(); ++i) {
        float sum = 0;
        for (const Plane& p : planes_)
          sum += p.x[i];
        planes_[0].x[i] = sum / float(planes_.size());
      }
      planes_.resize(1);
    }
  }
  size_t stride() const {
    return stride_;
  }
  size_t dims() const {
    return W * planes_.size();
  }

  // Embeds the window at step `t` of all machines. Returns the number of values per machine.
  size_t embed(size_t t, std::vector<float>& e) const {
    e.resize(std::max(dims(), 4 * planes_.size()) * stride_);
    if (options_.fusion == Fusion::Mahalanobis)
      return embed_moments(planes_, t, machines_, e);
    for (size_t k = 0; k < planes_.size(); ++k) {
      const float* x = planes_[k].x.data() + t * stride_;
      float* out = e.data() + k * W * stride_;
      if (options_.embedding == Embedding::Raw) {
        for (size_t i = 0; i < W; ++i)
          std::copy_n(x + i * stride_, stride_, out + i * stride_);
      } else {
        kernel().embed(
            models_[k]->parameters.data(),
            x,
            stride_,
            stride_,
            options_.embedding == Embedding::Latent,
            out,
            stride_);
      }
    }
    return dims();
  }

 private:
  const MinderOptions& options_;
  size_t machines_;
  size_t stride_;
  std::vector<const MetricModel*> models_;
  std::vector<Plane> planes_;
};

// Computes for each of the windows [first, last) the machine with the largest standard score of its summed
// distances to the pivots, which are a random part of the machines or all of them.
void score_windows(
    const Embedder& embedder,
    size_t machines,
    const std::vector<size_t>& pivots,
    const MinderOptions& o,
    size_t first,
    size_t last,
    std::vector<Candidate>& out) {
  constexpr size_t kChunk = 16;
  base::parallel_for((last - first + kChunk - 1) / kChunk, o.threads, [&](size_t chunk) {
    std::vector<float> e;
    std::vector<float> sums(machines + 16);
    for (size_t w = first + chunk * kChunk; w < std::min(last, first + (chunk + 1) * kChunk); ++w) {
      const size_t dims = embedder.embed(w * o.stride, e);
      kernel().distances(
          e.data(),
          embedder.stride(),
          dims,
          machines,
          pivots.data(),
          pivots.size(),
          o.distance,
          sums.data());
      out[w] = candidate_of(sums.data(), machines);
    }
  });
}

size_t window_count(const MetricSeries& s, size_t stride) {
  return s.steps < W ? 0 : (s.steps - W) / stride + 1;
}

size_t windows_needed(const MetricSeries& s, const MinderOptions& o) {
  if (!o.continuity)
    return 1;
  return std::max<size_t>(1, size_t(o.continuity_s * 1000 / double(s.step_ms) / double(o.stride)));
}

// Distances to a few machines drawn at random (pivots) estimate the scores and exclude most of a healthy
// period. A verdict needs `needed` windows in a row over the threshold, so the exact sums are only computed
// if one machine's estimate exceeds `kSlack` times the threshold in a third of such a run. This hardly
// changes a verdict.
constexpr double kSlack = 0.6;

// Returns whether some run of windows could reach a verdict by the estimate, so that the exact distances are
// needed.
bool worth_exact(const std::vector<Candidate>& estimate, double threshold, size_t needed) {
  if (needed < 8)
    return true;
  size_t votes = 0;  // windows of the sliding run with the same candidate as a window in its middle
  for (size_t w = 0; w + needed <= estimate.size(); w += needed / 4) {
    const uint32_t machine = estimate[w + needed / 2].machine;
    votes = 0;
    for (size_t i = w; i < w + needed; ++i)
      votes += estimate[i].machine == machine && estimate[i].z > kSlack * threshold;
    if (votes * 3 > needed)
      return true;
    const uint32_t other = estimate[w + needed / 3].machine;
    votes = 0;
    for (size_t i = w; i < w + needed; ++i)
      votes += estimate[i].machine == other && estimate[i].z > kSlack * threshold;
    if (votes * 3 > needed)
      return true;
  }
  return false;
}

// Returns the indices of the metrics to use.
std::vector<size_t> chosen_metrics(const FleetModel& model, const MinderOptions& o) {
  std::vector<size_t> which;
  for (size_t k = 0; k < model.metrics.size(); ++k) {
    const std::string& name = model.metrics[k].metric;
    if (o.metrics.empty() || std::ranges::find(o.metrics, name) != o.metrics.end())
      which.push_back(k);
  }
  if (which.empty())
    throw base::Error({}, "none of the model's metrics is to be judged");
  return which;
}

}  // namespace

// Returns the first window at which one machine has been the most different for `needed` windows in a row.
std::optional<size_t>
first_verdict(const std::vector<Candidate>& candidates, double threshold, size_t needed) {
  size_t run = 0;
  for (size_t w = 0; w < candidates.size(); ++w) {
    if (candidates[w].z <= threshold) {
      run = 0;
      continue;
    }
    run = run > 0 && candidates[w].machine == candidates[w - 1].machine ? run + 1 : 1;
    if (run >= needed)
      return w;
  }
  return {};
}

std::vector<Candidate> minder_candidates(
    const MetricSeries& series,
    const FleetModel& model,
    size_t metric,
    const MinderOptions& options) {
  const size_t machines = series.machines.size();
  std::vector<size_t> which{metric};
  if (options.fusion != Fusion::PerMetric)
    which = chosen_metrics(model, options);
  const Embedder embedder(series, model, which, options);
  std::vector<Candidate> out(window_count(series, options.stride));
  score_windows(embedder, machines, draw_pivots(machines, machines), options, 0, out.size(), out);
  return out;
}

// Runs the published Minder method: the machine that differs most from all others for long enough, metric by
// metric.
std::optional<MinderVerdict>
minder(const MetricSeries& series, const FleetModel& model, const MinderOptions& options) {
  const size_t machines = series.machines.size();
  const size_t windows = window_count(series, options.stride);
  const size_t needed = windows_needed(series, options);
  const std::vector<size_t> metrics = chosen_metrics(model, options);
  if (machines < 4)
    throw base::Error({}, "at least 4 machines are needed to compare");
  const auto everyone = draw_pivots(machines, machines);
  const bool fused = options.fusion != Fusion::PerMetric;
  for (size_t i = 0; i < (fused ? 1 : metrics.size()); ++i) {
    const Embedder embedder(series, model, fused ? metrics : std::vector<size_t>{metrics[i]}, options);
    const double threshold = options.threshold > 0 ? options.threshold : model.metrics[metrics[i]].threshold;
    std::vector<Candidate> candidates(windows);
    if (options.pivots > 0 && machines > 4 * options.pivots) {
      score_windows(
          embedder,
          machines,
          draw_pivots(machines, options.pivots),
          options,
          0,
          windows,
          candidates);
      if (!worth_exact(candidates, threshold, needed))
        continue;
    }
    score_windows(embedder, machines, everyone, options, 0, windows, candidates);
    if (const auto at = first_verdict(candidates, threshold, needed)) {
      return MinderVerdict{
          candidates[*at].machine,
          fused ? "all metrics" : model.metrics[metrics[i]].metric,
          *at * options.stride + W - 1,
          candidates[*at].z};
    }
  }
  return {};
}

}  // namespace lento::fleet
