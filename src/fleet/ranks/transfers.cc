#include "fleet/ranks/transfers.h"

#include <algorithm>
#include <cmath>

#include "base/stats.h"
#include "fleet/ranks/hidden.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet::ranks {
namespace {

std::vector<double> known(const std::vector<double>& series) {
  std::vector<double> out;
  for (const double v : series) {
    if (!std::isnan(v)) out.push_back(v);
  }
  return out;
}

void collect(const Job& job, const std::vector<double>& transfer_ns, std::vector<ChannelTime>& channels) {
  std::vector<std::vector<int>> counts(channels.size(), std::vector<int>(job.steps, 0));
  for (ChannelTime& c : channels) c.log_ns.assign(job.steps, 0);
  for (size_t i = 0; i < job.instances.size(); ++i) {
    const Instance& instance = job.instances[i];
    if (instance.step < 0 || !(transfer_ns[i] > 0)) continue;
    if (job.communicators[job.channels[instance.channel].communicator].key == kHiddenKey) continue;
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
    if (steps < tuning::kLeastSteps) continue;
    channels[c].judged = true;
    channels[c].mean_ns /= all;
    channels[c].a_step = all / steps;
    channels[c].median_ns = std::exp(base::median(known(channels[c].log_ns)));
  }
}

// The middle of the shortest interval that holds half of the values, and its half width as a deviation: a
// minority of slow channels moves neither.
std::pair<double, double> shortest_half(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2 + 1;
  size_t best = 0;
  for (size_t i = 0; i + half <= values.size(); ++i) {
    if (values[i + half - 1] - values[i] < values[best + half - 1] - values[best]) best = i;
  }
  const double low = values[best];
  const double high = values[best + half - 1];
  return {(low + high) / 2, (high - low) / 1.35};
}

double lower_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

// The level of a shape in time: by step the lower median over its channels.
std::vector<double> shape_series(const Job& job, const TransferVerdict& v, const std::vector<int>& channels) {
  std::vector<double> out(job.steps, NAN);
  std::vector<double> values;
  for (int s = 0; s < job.steps; ++s) {
    values.clear();
    for (const int c : channels) {
      if (!std::isnan(v.channels[c].log_ns[s])) values.push_back(v.channels[c].log_ns[s]);
    }
    if (2 * values.size() > channels.size()) out[s] = lower_median(values);
  }
  return out;
}

// What a shape takes when nothing is in the way: the lower median over its channels. If all of them rise
// together for a stretch (a fault that they all cross), the level outside of that stretch.
double envelope(const std::vector<double>& series, double over_channels) {
  std::vector<double> low = known(series);
  if (low.size() < 4 * tuning::kLeastSteps) return over_channels;
  const double quiet = base::quantile(low, 0.25);
  std::vector<double> rise = series;
  for (double& r : rise) r -= quiet;
  const Stretch s =
      best_stretch(rise, std::log1p(tuning::kLeastTransferShare), slow_noise(std::span<const double>(rise)));
  std::vector<double> outside;
  for (int i = 0; i < static_cast<int>(series.size()); ++i) {
    if ((i < s.begin || i >= s.end) && !std::isnan(series[i])) outside.push_back(series[i]);
  }
  if (outside.size() < 2 * tuning::kLeastSteps) return over_channels;
  const double level = base::median(outside);
  const bool risen = s.count >= 2 * tuning::kLeastSteps &&
                     quiet + s.mean - level > std::log1p(tuning::kLeastTransferShare) &&
                     s.significance > tuning::kLeastSignificance;
  return risen ? std::min(level, over_channels) : over_channels;
}

void envelopes(const Job& job, TransferVerdict& v) {
  size_t shapes = 0;
  for (const Channel& c : job.channels) shapes = std::max(shapes, static_cast<size_t>(c.shape) + 1);
  v.shapes.resize(shapes);
  std::vector<std::vector<int>> members(shapes);
  for (size_t c = 0; c < job.channels.size(); ++c) {
    if (v.channels[c].judged) members[job.channels[c].shape].push_back(static_cast<int>(c));
  }
  for (size_t s = 0; s < shapes; ++s) {
    if (members[s].empty()) continue;
    std::vector<double> medians;
    std::vector<std::vector<double>> all;
    for (const int c : members[s]) {
      medians.push_back(std::log(v.channels[c].median_ns));
      all.push_back(v.channels[c].log_ns);
    }
    ShapeTime& shape = v.shapes[s];
    shape.channels = static_cast<int>(members[s].size());
    shape.roughness = slow_noise(all);
    shape.envelope_ns = std::exp(envelope(shape_series(job, v, members[s]), lower_median(medians)));
    if (medians.size() >= 8) shape.spread = shortest_half(medians).second;
  }
}

void judge(const Job& job, TransferVerdict& v, double step_ns) {
  for (size_t c = 0; c < job.channels.size(); ++c) {
    ChannelTime& time = v.channels[c];
    const ShapeTime& shape = v.shapes[job.channels[c].shape];
    time.envelope_ns = shape.envelope_ns;
    if (!time.judged) continue;
    std::vector<double> excess = time.log_ns;
    for (double& e : excess) e -= std::log(shape.envelope_ns);
    const double least =
        std::max(std::log1p(tuning::kLeastTransferShare), tuning::kLeastPeerSpread * shape.spread);
    time.stretch = best_stretch(excess, least / 2, shape.roughness);
    const double cost_ns = (std::exp(time.stretch.mean) - 1) * shape.envelope_ns * time.a_step;
    time.slow = time.stretch.count >= tuning::kLeastSteps && time.stretch.mean >= least &&
                time.stretch.median >= least / 2 &&
                time.stretch.significance >= tuning::kLeastChannelSignificance &&
                cost_ns >= tuning::kLeastStepShare * step_ns;
  }
}

}  // namespace

std::vector<double> transfer_times(const Job& job) {
  std::vector<double> out(job.instances.size(), NAN);
  for (size_t i = 0; i < job.instances.size(); ++i) {
    const Instance& instance = job.instances[i];
    if (!instance.complete) continue;
    double least = INFINITY;
    for (const Member& m : job.of(instance)) {
      const trace::CollectiveRecord& r = job.record(m);
      least = std::min(least, static_cast<double>(r.end_ns - r.begin_ns));
    }
    out[i] = std::max(least, 1.0);
  }
  return out;
}

TransferVerdict slow_channels(const Job& job, const std::vector<double>& transfer_ns, double step_ns) {
  TransferVerdict v;
  v.channels.resize(job.channels.size());
  collect(job, transfer_ns, v.channels);
  envelopes(job, v);
  judge(job, v, step_ns);
  return v;
}

}  // namespace lento::fleet::ranks
