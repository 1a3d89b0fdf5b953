// Measures the transfer time of each channel (one communicator, operation and size) by step, compares it
// with the undisturbed time of its shape (operation, size, number of ranks and of hosts), and marks slow
// channels. The undisturbed time is the lower quartile over the channels of the shape, which a fault on the
// path of most of them does not raise. The fast end of their distribution shows how much healthy channels
// differ.
#include "fleet/ranks/transfers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "evidence/sample.h"
#include "fleet/ranks/hidden.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

// Returns the values that are not NaN.
std::vector<double> without_nan(const std::vector<double>& series) {
  std::vector<double> out;
  for (const double v : series) {
    if (!std::isnan(v))
      out.push_back(v);
  }
  return out;
}

// Collects the mean log transfer time of each channel (one communicator, operation and size) by step.
void collect(const Job& job, const std::vector<double>& transfer_ns, std::vector<ChannelTime>& channels) {
  std::vector<std::vector<int>> counts(channels.size(), std::vector<int>(job.steps, 0));
  for (ChannelTime& c : channels)
    c.log_ns.assign(job.steps, 0);
  for (size_t i = 0; i < job.instances.size(); ++i) {
    const Instance& instance = job.instances[i];
    if (instance.step < 0 || !(transfer_ns[i] > 0))
      continue;
    if (job.communicators[job.channels[instance.channel].communicator].key == kHiddenKey)
      continue;
    ChannelTime& c = channels[instance.channel];
    c.log_ns[instance.step] += std::log(transfer_ns[i]);
    c.mean_ns += transfer_ns[i];
    ++counts[instance.channel][instance.step];
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    int steps = 0;
    double all = 0;
    for (int s = 0; s < job.steps; ++s) {
      const int count = counts[c][s];
      channels[c].log_ns[s] = count > 0 ? channels[c].log_ns[s] / count : NAN;
      steps += count > 0;
      all += count;
    }
    if (steps < tuning::kLeastSteps)
      continue;
    channels[c].judged = true;
    channels[c].mean_ns /= all;
    channels[c].transfers_per_step = all / steps;
    channels[c].median_ns = std::exp(evidence::median(without_nan(channels[c].log_ns)));
  }
}

// Returns the standard deviation of log transfer times between healthy channels, estimated from the fast end
// of the distribution, which slow channels do not widen even when they are the majority.
double quick_spread(const std::vector<double>& values) {
  return (evidence::quantile(values, 0.25) - evidence::quantile(values, 0.1)) / 0.607;
}

// Returns the standard deviation of log transfer times between the healthy channels of a shape: the measured
// one where there are enough channels, else at least kUnknownSpread.
double assumed_spread(const ShapeTime& shape, std::span<const std::vector<double>> channels) {
  if (shape.channels >= 8 && shape.groups >= tuning::kGroupsThatTell)
    return std::max(shape.seen_spread, tuning::kFloorSpread);
  std::vector<double> noises;
  for (const std::vector<double>& log_ns : channels)
    noises.push_back(noise_of(log_ns));
  const double noise = evidence::quantile(std::move(noises), 0.25);
  return std::max({shape.seen_spread, tuning::kUnknownSpread, tuning::kSpreadOfNoise * noise});
}

// Returns the log transfer time of a shape by step: the lower quartile over its channels, NaN where at most
// half of them have a transfer.
std::vector<double> shape_series(const Job& job, const TransferVerdict& v, const std::vector<int>& channels) {
  std::vector<double> out(job.steps, NAN);
  std::vector<double> values;
  for (int s = 0; s < job.steps; ++s) {
    values.clear();
    for (const int c : channels) {
      if (!std::isnan(v.channels[c].log_ns[s]))
        values.push_back(v.channels[c].log_ns[s]);
    }
    if (2 * values.size() > channels.size())
      out[s] = evidence::quantile(values, 0.25);
  }
  return out;
}

// Returns the log of a shape's undisturbed transfer time: `over_channels`, the lower quartile over its
// channels, so that a fault on the path of most of them does not pass for normal. If all channels rise
// together for a stretch of steps (a fault on the path of all), it is the median of `series` outside of that
// stretch, where that is lower.
double undisturbed_level(const std::vector<double>& series, double over_channels) {
  std::vector<double> low = without_nan(series);
  if (low.size() < 4 * tuning::kLeastSteps)
    return over_channels;
  const double quiet = evidence::quantile(low, 0.1);
  std::vector<double> rise = series;
  for (double& r : rise)
    r -= quiet;
  const Stretch s =
      best_stretch(rise, std::log1p(tuning::kLeastTransferShare), slow_noise(std::span<const double>(rise)));
  std::vector<double> outside;
  for (int i = 0; i < int(series.size()); ++i) {
    if ((i < s.begin || i >= s.end) && !std::isnan(series[i]))
      outside.push_back(series[i]);
  }
  if (outside.size() < 2 * tuning::kLeastSteps)
    return over_channels;
  const double level = evidence::median(outside);
  const bool risen = s.count >= 2 * tuning::kLeastSteps &&
                     quiet + s.mean - level > std::log1p(tuning::kLeastTransferShare) &&
                     s.significance > tuning::kLeastSignificance;
  return risen ? std::min(level, over_channels) : over_channels;
}

// Estimates for each shape (operation, size, number of ranks and of hosts) the transfer time without a
// fault, and how much it differs between healthy channels.
void estimate_undisturbed_times(const Job& job, TransferVerdict& v) {
  size_t shapes = 0;
  for (const Channel& c : job.channels)
    shapes = std::max(shapes, size_t(c.shape) + 1);
  v.shapes.resize(shapes);
  std::vector<std::vector<int>> members(shapes);
  for (size_t c = 0; c < job.channels.size(); ++c) {
    if (v.channels[c].judged)
      members[job.channels[c].shape].push_back(int(c));
  }
  for (size_t s = 0; s < shapes; ++s) {
    if (members[s].empty())
      continue;
    std::vector<double> medians;
    std::vector<std::vector<double>> all;
    std::set<std::vector<int>> groups;
    for (const int c : members[s]) {
      groups.insert(job.channels[c].ranks);
      medians.push_back(std::log(v.channels[c].median_ns));
      all.push_back(v.channels[c].log_ns);
    }
    ShapeTime& shape = v.shapes[s];
    shape.channels = int(members[s].size());
    shape.groups = int(groups.size());
    shape.roughness = slow_noise(all);
    shape.undisturbed_ns =
        std::exp(undisturbed_level(shape_series(job, v, members[s]), evidence::quantile(medians, 0.25)));
    if (medians.size() >= 8)
      shape.seen_spread = quick_spread(medians);
    shape.spread = assumed_spread(shape, all);
  }
}

// Marks the channels that exceed the undisturbed transfer time of their shape, with the steps in which they
// do.
void judge(const Job& job, TransferVerdict& v) {
  for (size_t c = 0; c < job.channels.size(); ++c) {
    ChannelTime& time = v.channels[c];
    const ShapeTime& shape = v.shapes[job.channels[c].shape];
    time.undisturbed_ns = shape.undisturbed_ns;
    if (!time.judged)
      continue;
    std::vector<double> excess = time.log_ns;
    for (double& e : excess)
      e -= std::log(shape.undisturbed_ns);
    const double least =
        std::max(std::log1p(tuning::kLeastTransferShare), tuning::kLeastChannelSpread * shape.seen_spread);
    time.stretch = best_stretch(excess, least / 2, shape.roughness);
    time.cost_ns = (std::exp(time.stretch.mean) - 1) * shape.undisturbed_ns * time.transfers_per_step;
    time.slow = time.stretch.count >= tuning::kLeastSteps && time.stretch.mean >= least &&
                time.stretch.median >= least / 2 &&
                time.stretch.significance >= tuning::kLeastChannelSignificance;
  }
}

}  // namespace

std::vector<double> transfer_times(const Job& job) {
  std::vector<double> out(job.instances.size(), NAN);
  for (size_t i = 0; i < job.instances.size(); ++i) {
    const Instance& instance = job.instances[i];
    if (!instance.complete)
      continue;
    double least = INFINITY;
    for (const Member& m : job.of(instance)) {
      const CollectiveRecord& r = job.record(m);
      least = std::min(least, double(r.end_ns - r.begin_ns));
    }
    out[i] = std::max(least, 1.0);
  }
  return out;
}

// Returns the transfer times of all channels (one communicator, operation and size each) and which of them
// are slow.
TransferVerdict slow_channels(const Job& job, const std::vector<double>& transfer_ns) {
  TransferVerdict v;
  v.channels.resize(job.channels.size());
  collect(job, transfer_ns, v.channels);
  estimate_undisturbed_times(job, v);
  judge(job, v);
  return v;
}

}  // namespace lento::fleet::ranks
