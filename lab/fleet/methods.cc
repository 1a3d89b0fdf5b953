// Judges a job by the paper's method, its ablations and baselines in one pass. Each window is embedded once,
// and every method takes its scores from there, so that methods are compared on the same draws.
#include "lab/fleet/methods.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/sample.h"
#include "fleet/minder/kernel.h"

namespace lento::fleet {
namespace {

constexpr size_t W = vae::kWindow;
constexpr size_t kSeven = 7;
constexpr size_t kAll = 10;
constexpr size_t kFewer = 3;
constexpr size_t kExactMachines = 64;
constexpr size_t kPivots = 32;

// Lists of candidates: by metric, then the fused ones.
enum List : size_t {
  kMinder = 0,  // 10 metrics
  kManhattan = kMinder + kAll,
  kChebyshev = kManhattan + kSeven,
  kRaw = kChebyshev + kSeven,
  kRawZ = kRaw + kSeven,
  kMad = kRawZ + kSeven,
  kTwice = kMad + kSeven,
  kShare = kTwice + kSeven,
  kCon = kShare + kSeven,
  kInt,
  kMahalanobis,
  kLists
};

std::vector<size_t> run_of(size_t first, size_t count) {
  std::vector<size_t> v(count);
  std::iota(v.begin(), v.end(), first);
  return v;
}

// Scores of one window, list by list.
class WindowScan {
 public:
  WindowScan(const MetricSeries& s, const Models& models)
      : series_(s),
        models_(models),
        machines_(s.machines.size()),
        stride_(padded(machines_)),
        pivots_(draw_pivots(machines_, machines_ > kExactMachines ? kPivots : machines_)),
        embedded_(kAll * W * stride_),
        scratch_(W * stride_),
        sums_(stride_) {
    for (const MetricModel& m : models.metrics.metrics) {
      columns_.push_back(metric_index(s, m.metric));
      planes_.push_back(normalised_plane(s, columns_.back(), bounds_of(s, columns_.back())));
    }
    seven_.assign(planes_.begin(), planes_.begin() + kSeven);
    mean_ = seven_[0];
    for (size_t i = 0; i < mean_.x.size(); ++i) {
      float sum = 0;
      for (const Plane& p : seven_)
        sum += p.x[i];
      mean_.x[i] = sum / kSeven;
    }
  }

  void window(size_t t, Candidates& out) {
    for (size_t k = 0; k < kAll; ++k) {
      float* e = embedded_.data() + k * W * stride_;
      embed(planes_[k], t, models_.metrics.metrics[k], e);
      out[kMinder + k].push_back(score(e, W, Distance::Euclid));
      if (k >= kSeven)
        continue;
      out[kManhattan + k].push_back(score(e, W, Distance::Manhattan));
      out[kChebyshev + k].push_back(score(e, W, Distance::Chebyshev));
      out[kRaw + k].push_back(score(planes_[k].x.data() + t * stride_, W, Distance::Euclid));
      rules(t, k, out);
    }
    out[kCon].push_back(score(embedded_.data(), kSeven * W, Distance::Euclid));
    embed(mean_, t, models_.integrated, scratch_.data());
    out[kInt].push_back(score(scratch_.data(), W, Distance::Euclid));
    const size_t rows = embed_moments(seven_, t, machines_, moments_);
    out[kMahalanobis].push_back(score(moments_.data(), rows, Distance::Euclid));
  }

 private:
  void embed(const Plane& plane, size_t t, const MetricModel& model, float* e) const {
    kernel()
        .embed(model.parameters.data(), plane.x.data() + t * stride_, stride_, stride_, false, e, stride_);
  }
  Candidate score(const float* e, size_t rows, Distance distance) {
    kernel().distances(e, stride_, rows, machines_, pivots_.data(), pivots_.size(), distance, sums_.data());
    return candidate_of(sums_.data(), machines_);
  }
  void rules(size_t t, size_t k, Candidates& out);

  const MetricSeries& series_;
  const Models& models_;
  size_t machines_;
  size_t stride_;
  std::vector<size_t> pivots_;
  std::vector<size_t> columns_;
  std::vector<Plane> planes_;
  std::vector<Plane> seven_;
  Plane mean_;
  std::vector<float> embedded_;
  std::vector<float> scratch_;
  std::vector<float> moments_;
  std::vector<float> sums_;
  std::vector<double> values_;
};

// The simple rules look at the sample of the window's first second.
void WindowScan::rules(size_t t, size_t k, Candidates& out) {
  const auto row = series_.row(columns_[k], t);
  values_.clear();
  for (const float v : row)
    values_.push_back(std::isnan(v) ? 0 : v);
  const double mean = evidence::mean(values_);
  const double middle = evidence::median(values_);
  const double sd = std::sqrt(evidence::variance(values_));
  const double mad = 1.4826 * evidence::mad(values_);
  const double best = *std::ranges::max_element(values_);
  Candidate by_z{0, -1};
  Candidate by_mad{0, -1};
  Candidate by_half{0, -1};
  Candidate by_best{0, -1};
  const auto take = [](Candidate& c, size_t m, double z) {
    if (z > c.z)
      c = {uint32_t(m), float(z)};
  };
  for (size_t m = 0; m < values_.size(); ++m) {
    const double v = values_[m];
    take(by_z, m, std::abs(v - mean) / (sd + 1e-6 * std::abs(mean) + 1e-12));
    take(by_mad, m, std::abs(v - middle) / (mad + 1e-6 * std::abs(middle) + 1e-12));
    take(by_half, m, middle > 0 ? std::max(middle / std::max(v, 1e-6 * middle), v / middle) : 0);
    take(by_best, m, best > 0 ? best / std::max(v, 1e-6 * best) : 0);
  }
  out[kRawZ + k].push_back(by_z);
  out[kMad + k].push_back(by_mad);
  out[kTwice + k].push_back(by_half);
  out[kShare + k].push_back(by_best);
}

}  // namespace

const std::vector<std::string>& paper_metrics() {
  static const std::vector<std::string> names{
      "pfc_tx_packets",
      "cpu_usage",
      "gpu_duty_cycle",
      "gpu_power_w",
      "gpu_graphics_activity",
      "gpu_tensor_activity",
      "nvlink_bandwidth"};
  return names;
}

const std::vector<std::string>& more_metrics() {
  static const std::vector<std::string> names{"rdma_throughput", "disk_usage", "memory_used"};
  return names;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"Minder", run_of(kMinder, kSeven)},
      {"RAW", run_of(kRaw, kSeven)},
      {"CON", {kCon}},
      {"INT", {kInt}},
      {"Mahalanobis", {kMahalanobis}},
      {"no continuity", run_of(kMinder, kSeven), 1},
      {"Manhattan", run_of(kManhattan, kSeven)},
      {"Chebyshev", run_of(kChebyshev, kSeven)},
      {"fewer metrics", run_of(kMinder, kFewer)},
      {"more metrics", run_of(kMinder, kAll)},
      {"rule: z of raw values", run_of(kRawZ, kSeven), 20, false},
      {"rule: median and MAD", run_of(kMad, kSeven), 20, false},
      {"rule: twice or half the median", run_of(kTwice, kSeven), 20, false},
      {"rule: under 0.7 of the best", run_of(kShare, kSeven), 20, false},
  };
  return all;
}

Candidates scan(const MetricSeries& series, const Models& models) {
  Candidates out(kLists);
  WindowScan scan(series, models);
  for (size_t t = 0; t + W <= series.steps; t += kWindowStride)
    scan.window(t, out);
  return out;
}

double threshold_at(const Method& method, size_t i) {
  if (method.capped)
    return 0.5 * std::pow(1.07, double(i));
  return 1.05 * std::pow(1.25, double(i));
}

int verdict_of(const Candidates& candidates, const Method& method, size_t i, size_t machines) {
  const double n = double(machines);
  const double cap = (n - 1) / std::sqrt(n);
  const double limit = method.capped ? std::min(threshold_at(method, i), 0.8 * cap) : threshold_at(method, i);
  size_t first = SIZE_MAX;
  int machine = -1;
  for (const size_t list : method.lists) {
    size_t run = 0;
    for (size_t w = 0; w < std::min(first, candidates[list].size()); ++w) {
      const Candidate& c = candidates[list][w];
      const bool same = run > 0 && candidates[list][w - 1].machine == c.machine;
      run = c.z <= limit ? 0 : same ? run + 1 : 1;
      if (run < method.in_a_row)
        continue;
      first = w;
      machine = int(c.machine);
    }
  }
  return machine;
}

}  // namespace lento::fleet
