// Simulates the metrics of a training job second by second: a common wave, offsets and noise of each machine,
// short jitters of healthy machines, and a fault of one machine with the response of its peers. The mix of
// faults and the metric classes that show them follow Minder, Table 1 and section 6. docs/methods/fleet.md
// specifies it. Cost: a few draws per machine, metric and second.
#include "fleet/simulate/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.h"
#include "base/rng.h"

namespace lento::fleet {
namespace {

enum Class {
  kCpu,
  kGpu,
  kPfc,
  kThroughput,
  kDisk,
  kMemory
};
constexpr std::array<const char*, 6> kClassNames{"CPU", "GPU", "PFC", "throughput", "disk", "memory"};

struct Metric {
  const char* name;
  Class metric_class;
  // Mean of the metric, and amplitude of the wave that all machines share, in the metric's unit.
  double level;
  double wave;
};
constexpr std::array<Metric, 10> kMetrics{{
    {"pfc_tx_packets", kPfc, 50, 10},
    {"cpu_usage", kCpu, 40, 6},
    {"gpu_duty_cycle", kGpu, 85, 8},
    {"gpu_power_w", kGpu, 500, 90},
    {"gpu_graphics_activity", kGpu, 80, 9},
    {"gpu_tensor_activity", kGpu, 45, 9},
    {"nvlink_bandwidth", kGpu, 120, 30},
    {"rdma_throughput", kThroughput, 20, 6},
    {"disk_usage", kDisk, 55, 1},
    {"memory_used", kMemory, 300, 3},
}};
constexpr size_t kPaperMetrics = 7;

struct Type {
  const char* name;
  double share;  // share of all faults (Minder, Table 1 and section 6)
  std::array<double, 6> shows;
};
constexpr std::array<Type, 10> kTypes{{
    {"ECC error", .257, {.800, .657, .086, .457, .114, .571}},
    {"PCIe downgrading", .086, {0, .083, 1, .333, .083, 0}},
    {"NIC dropout", .011, {1, 1, 0, 0, 1, 1}},
    {"GPU card drop", .143, {.750, .700, .050, .500, .200, .550}},
    {"NVLink error", .043, {.833, .500, .167, .500, 0, .667}},
    {"AOC error", .029, {.250, .250, 0, .250, .250, .250}},
    {"CUDA execution error", .150, {.619, .571, .190, .333, .143, .619}},
    {"GPU execution error", .100, {.500, .714, .143, .429, .214, .428}},
    {"HDFS error", .050, {.571, .571, 0, .143, 0, .143}},
    {"machine unreachable", .131, {.474, .632, 0, .536, .263, .158}},
}};

struct Shape {  // the effects of one fault; times in s
  const Type* type = nullptr;
  std::array<bool, 6> shown{};
  std::array<double, kMetrics.size()> factor{};  // factor on the machine's level during the fault
  size_t machine = 0;
  double onset = 0;
  double ramp = 5;
  double wait_after = 60;
  double contrast_end = 0;
  double halt = 0;
  double waiting = 0.6;  // factor on the peers' levels while they wait
};

struct Jitter {
  size_t machine;
  Class metric_class;
  double begin;
  double end;
  double factor;
};

class Job {
 public:
  explicit Job(const FleetJob& job)
      : job_(job),
        rng_(job.seed, "fleet.job", job.index) {
  }

  SimulatedFleet run() {
    draw_size();
    draw_fault();
    draw_jitters();
    fill();
    return std::move(out_);
  }

 private:
  // Draws the number of machines.
  void draw_size() {
    machines_ = job_.machines;
    if (machines_ == 0) {
      machines_ = rng_.uniform() < 0.3 ? 600 + rng_.below(901)
                                       : size_t(std::exp(rng_.uniform(std::log(4.0), std::log(600.0))));
    }
    if (machines_ < 4)
      throw base::Error({}, "a fleet has at least 4 machines");
    stages_ = 1;
    for (const size_t s : {2u, 4u, 8u}) {
      if (machines_ / s >= 4 && rng_.uniform() < 0.6)
        stages_ = s;
    }
    MetricSeries& s = out_.series;
    for (size_t m = 0; m < machines_; ++m) {
      const std::string number = std::to_string(m);
      s.machines.push_back("machine-" + std::string(4 - std::min<size_t>(4, number.size()), '0') + number);
      s.labels.push_back({{"stage", std::to_string(m * stages_ / machines_)}});
    }
    for (size_t k = 0; k < (job_.extra_metrics ? kMetrics.size() : kPaperMetrics); ++k)
      s.metrics.push_back(kMetrics[k].name);
  }

  // Draws the type of fault by its share.
  const Type& draw_type() {
    double u = rng_.uniform();
    for (const Type& t : kTypes) {
      if ((u -= t.share) < 0)
        return t;
    }
    return kTypes[0];
  }

  double draw_duration() {  // log-normal, median 8 minutes: 12 % are under 4
    for (;;) {
      const double d = std::min(1800.0, 480 * std::exp(0.6 * rng_.normal()));
      if (d >= job_.preset.shortest_fault_s)
        return d;
    }
  }

  void draw_fault() {
    seconds_ = job_.seconds;
    if (!job_.faulty)
      return;
    Shape& f = fault_;
    f.type = &draw_type();
    f.machine = rng_.below(machines_);
    f.onset = rng_.uniform(job_.earliest_onset_s, job_.earliest_onset_s + 360);
    const double duration = draw_duration();
    f.halt = f.onset + duration;
    f.ramp = rng_.uniform(0, 20);
    f.wait_after = rng_.uniform(5, 120);
    f.waiting = rng_.uniform(0.5, 0.8);
    f.contrast_end = f.halt;
    const std::string name = f.type->name;
    if ((name == "PCIe downgrading" || name == "GPU execution error") &&
        rng_.uniform() < job_.preset.rapid_share) {
      f.contrast_end = std::min(f.halt, f.onset + rng_.uniform(20, 230));
    }
    for (size_t c = 0; c < 6; ++c)
      f.shown[c] = rng_.uniform() < f.type->shows[c];
    for (size_t k = 0; k < kMetrics.size(); ++k) {
      f.factor[k] = 1;
      if (!f.shown[kMetrics[k].metric_class])
        continue;
      switch (kMetrics[k].metric_class) {
        case kPfc:
          f.factor[k] = rng_.uniform(10, 40);
          break;
        case kDisk:
          f.factor[k] = rng_.uniform(1.2, 1.6);
          break;
        case kMemory:
          f.factor[k] = rng_.uniform(0.2, 0.8);
          break;
        case kThroughput:
          f.factor[k] = rng_.uniform(0.1, 0.6);
          break;
        default:
          f.factor[k] = rng_.uniform(0.0, 0.35);
      }
    }
    seconds_ = f.halt;
    FleetTruth& t = out_.truth;
    t = {true, f.machine, f.type->name, f.onset, f.halt, f.contrast_end - f.onset, {}, false};
    for (size_t c = 0; c < 6; ++c) {
      if (f.shown[c])
        t.shown.push_back(kClassNames[c]);
    }
    t.visible = t.contrast_s >= 240 && (f.shown[kCpu] || f.shown[kGpu] || f.shown[kPfc]);
  }

  // Draws short disturbances, which are no faults.
  void draw_jitters() {
    const double per_hour = rng_.uniform(0.2, 1.0);
    const double expected = job_.jitters ? per_hour * double(machines_) * seconds_ / 3600 : 0;
    for (double n = rng_.exponential(1); n < expected; n += rng_.exponential(1)) {
      const double begin = rng_.uniform(0, seconds_);
      const double length = std::exp(rng_.uniform(0, std::log(60.0)));
      const Class c = static_cast<Class>(rng_.below(3));
      jitters_.push_back(
          {rng_.below(machines_),
           c,
           begin,
           begin + length,
           c == kPfc ? rng_.uniform(3, 20) : rng_.uniform(0, 0.6)});
    }
    std::ranges::sort(jitters_, [](const Jitter& a, const Jitter& b) {
      return a.machine < b.machine;
    });
  }

  // Draws for every second the common wave, a sine with drift, and the common factor (ramp, checkpoints).
  void draw_common(std::vector<double>& wave, std::vector<double>& factor, size_t steps) {
    const double period = rng_.uniform(2, 30);
    const double every = rng_.uniform(180, 420);
    const double dip = rng_.uniform(10, 40);
    const double phase = rng_.uniform(0, every);
    double drift = 0;
    for (size_t t = 0; t < steps; ++t) {
      const double s = double(t);
      drift = 0.98 * drift + 0.05 * rng_.normal();
      wave[t] = std::sin(2 * std::numbers::pi * s / period) + drift;
      const bool checkpoint = std::fmod(s + phase, every) < dip;
      factor[t] = (checkpoint ? 0.4 : 1.0) * std::min(1.0, 0.2 + s / 25);
    }
  }

  // Returns the factor of the fault on a metric of a machine at time `t` (seconds).
  double fault_factor(size_t m, size_t k, double t) const {
    const Shape& f = fault_;
    if (!f.type || t < f.onset)
      return 1;
    const bool shrinks = kMetrics[k].metric_class == kCpu || kMetrics[k].metric_class == kGpu;
    const bool contrast = t < f.contrast_end;
    double all = 1;  // factor on all machines, which wait for the faulty one after a while
    if (t > f.onset + f.wait_after && shrinks)
      all = f.waiting;
    if (!contrast && shrinks)
      return std::min(all, f.waiting);
    if (!contrast)
      return 1;
    const double grown = f.ramp > 0 ? std::min(1.0, (t - f.onset) / f.ramp) : 1.0;
    if (m == f.machine && f.shown[kMetrics[k].metric_class])
      return std::min(all, 1.0) * (1 + (f.factor[k] - 1) * grown);
    if (kMetrics[k].metric_class == kPfc && f.shown[kPfc] && (m + 1 == f.machine || m == f.machine + 1))
      return 1.5;
    return all;
  }

  // Fills all values.
  void fill() {
    MetricSeries& s = out_.series;
    s.steps = size_t(seconds_);
    s.values.resize(s.metrics.size() * s.steps * machines_);
    std::vector<double> wave(s.steps);
    std::vector<double> factor(s.steps);
    draw_common(wave, factor, s.steps);
    const double white = rng_.uniform(0.02, 0.06);
    const double slow = rng_.uniform(0.005, 0.02);
    for (size_t k = 0; k < s.metrics.size(); ++k) {
      std::vector<double> stage(stages_);
      for (double& x : stage)
        x = 1 + 0.03 * rng_.normal();
      for (size_t m = 0; m < machines_; ++m) {
        fill_machine(k, m, stage[m * stages_ / machines_], white, slow, wave, factor);
      }
    }
    collect_badly();
  }

  // Fills one metric of one machine.
  void fill_machine(
      size_t k,
      size_t m,
      double stage,
      double white,
      double slow,
      const std::vector<double>& wave,
      const std::vector<double>& factor) {
    MetricSeries& s = out_.series;
    const Metric& metric = kMetrics[k];
    base::Rng noise(base::mix64(job_.seed + 0x9e37 * job_.index), s.metrics[k], m);
    const bool busy = metric.metric_class != kDisk && metric.metric_class != kMemory;
    const double own = stage * (1 + 0.007 * noise.normal());
    double correlated = 0;
    const auto first =
        std::lower_bound(jitters_.begin(), jitters_.end(), m, [](const Jitter& j, size_t machine) {
          return j.machine < machine;
        });
    for (size_t t = 0; t < s.steps; ++t) {
      const double time = double(t);
      correlated = 0.9 * correlated + 0.4359 * slow * noise.normal();
      double x = metric.level * own + metric.wave * wave[t];
      if (busy && metric.metric_class != kPfc)
        x *= factor[t];
      x *= 1 + correlated + white * noise.normal();
      x *= fault_factor(m, k, time);
      for (auto j = first; j != jitters_.end() && j->machine == m; ++j) {
        if (j->metric_class == metric.metric_class && time >= j->begin && time < j->end)
          x *= j->factor;
      }
      s.row(k, t)[m] = float(std::max(0.0, x));
    }
  }

  // Removes single samples and all samples of machines for some seconds, as an unreliable collection loses
  // them.
  void collect_badly() {
    const FleetPreset& p = job_.preset;
    MetricSeries& s = out_.series;
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    if (p.missing_share > 0) {
      for (double i = rng_.exponential(1 / p.missing_share); i < double(s.values.size());
           i += 1 + rng_.exponential(1 / p.missing_share)) {
        s.values[size_t(i)] = none;
      }
    }
    const double gaps = p.gap_rate_per_hour * double(machines_) * seconds_ / 3600;
    for (double n = rng_.exponential(1); n < gaps; n += rng_.exponential(1)) {
      const size_t m = rng_.below(machines_);
      const size_t begin = rng_.below(s.steps);
      const size_t length = 5 + rng_.below(26);
      for (size_t k = 0; k < s.metrics.size(); ++k) {
        for (size_t t = begin; t < std::min(s.steps, begin + length); ++t)
          s.row(k, t)[m] = none;
      }
    }
  }

  FleetJob job_;
  base::Rng rng_;
  size_t machines_ = 0;
  size_t stages_ = 1;
  double seconds_ = 0;
  Shape fault_;
  std::vector<Jitter> jitters_;
  SimulatedFleet out_;
};

}  // namespace

const std::vector<FleetPreset>& fleet_presets() {
  static const std::vector<FleetPreset> presets{
      {"paper", 240, 0.0, 0, 0},
      {"production", 0, 0.25, 0.005, 0.2},
  };
  return presets;
}

const FleetPreset& fleet_preset(const std::string& name) {
  std::vector<std::string> names;
  for (const FleetPreset& p : fleet_presets()) {
    if (p.name == name)
      return p;
    names.push_back(p.name);
  }
  throw base::Error({}, "preset '" + name + "' is not known", base::suggestion(name, names));
}

SimulatedFleet simulate_fleet(const FleetJob& job) {
  return Job(job).run();
}

}  // namespace lento::fleet
