// Lays the collected samples of a SeriesBuilder out on one grid of time, metric and machine. The step is the
// usual distance of the samples. A grid value is the nearest sample within a limit. Cost: one pass over
// samples and grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/read/series_column.h"

namespace lento::fleet {
namespace {

constexpr double kFillShare = 0.75;   // of the usual distance of samples: half of it, plus jitter
constexpr double kSlowest = 300'000;  // ms; a series with rarer samples leaves grid steps empty
constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();

// The time grid of the output. A step without a sample within `limit_ms` stays empty.
struct Grid {
  int64_t begin_ms;
  int64_t step_ms;
  int64_t limit_ms;
  size_t steps;
};

// Calls `put` for each step with the sample that is nearest in time.
template <class Put>
void nearest_fill(const std::vector<int64_t>& time, const Grid& grid, const Put& put) {
  size_t j = 0;  // the last sample at or before the step, or 0
  for (size_t s = 0; s < grid.steps; ++s) {
    const int64_t t = grid.begin_ms + int64_t(s) * grid.step_ms;
    while (j + 1 < time.size() && time[j + 1] <= t)
      ++j;
    size_t best = j;
    if (j + 1 < time.size() && std::abs(time[j + 1] - t) < std::abs(time[j] - t))
      best = j + 1;
    if (std::abs(time[best] - t) <= grid.limit_ms)
      put(s, best);
  }
}

}  // namespace

// Returns the lower median of distances between samples, 0 when there are none.
static int64_t median_gap(std::vector<int64_t>& gaps) {
  if (gaps.empty())
    return 0;
  return evidence::lower_median_reordering(std::span(gaps));
}

constexpr size_t kGapsOf = 64;  // first samples of a series that are used

static void add_gaps(const std::vector<int64_t>& time_ms, std::vector<int64_t>& gaps) {
  for (size_t i = 1; i < std::min(time_ms.size(), kGapsOf); ++i)
    gaps.push_back(time_ms[i] - time_ms[i - 1]);
}

// Returns the grid step for a distance of samples, both in ms: rounded to 100 ms, above 900 ms to 1 s.
static int64_t natural_step(int64_t gap) {
  if (gap == 0)
    return 1000;
  const int64_t unit = gap > 900 ? 1000 : 100;
  return std::max<int64_t>(unit, (gap + unit / 2) / unit * unit);
}

// Returns the usual time between two samples, in milliseconds.
int64_t SeriesBuilder::sample_gap() const {
  constexpr size_t kMost = 100'000;
  std::vector<int64_t> gaps;
  Column column;
  for (const Samples& s : samples_) {
    read(s, kGapsOf, column);
    add_gaps(column.time_ms, gaps);
    if (gaps.size() > kMost)
      break;
  }
  return median_gap(gaps);
}

// The planes (values of all steps and machines) that a metric has in the result: one, or three for the
// smallest, mean and largest device.
struct SeriesBuilder::Layout {
  std::vector<bool> has_devices;  // by metric id
  std::vector<size_t> at;         // by metric id: index of its first plane in MetricSeries::metrics
};

// Assigns planes of the result to the metrics and adds their names to `series`.
SeriesBuilder::Layout SeriesBuilder::lay_out(MetricSeries& series) const {
  Layout layout;
  layout.has_devices.assign(metrics_.size(), false);
  for (const Samples& s : samples_) {
    if (s.key.device != 0)
      layout.has_devices[s.key.metric] = true;
  }
  for (size_t m = 0; m < metrics_.size(); ++m) {
    layout.at.push_back(series.metrics.size());
    if (!layout.has_devices[m]) {
      series.metrics.push_back(metrics_[m]);
      continue;
    }
    for (const char* part : {":min", ":mean", ":max"})
      series.metrics.push_back(metrics_[m] + part);
  }
  return layout;
}

// Chooses begin, step and number of steps of the common time grid.
void SeriesBuilder::choose_grid(const GridOptions& options, const base::Location& where, MetricSeries& series)
    const {
  series.sample_gap_ms = sample_gap();
  series.step_ms = options.step_ms > 0 ? options.step_ms : natural_step(series.sample_gap_ms);
  series.newest_ms.assign(machines_.size(), INT64_MIN);
  int64_t first = INT64_MAX;
  int64_t last = INT64_MIN;
  for (const Samples& s : samples_) {
    first = std::min(first, s.first_ms);
    last = std::max(last, s.last_ms);
    int64_t& newest = series.newest_ms[s.key.machine];
    newest = std::max(newest, s.last_ms);
  }
  series.begin_ms = options.begin_ms.value_or(first);
  last = std::max(last, series.begin_ms);
  const uint64_t span_ms = uint64_t(last) - uint64_t(series.begin_ms);
  const uint64_t steps = span_ms / uint64_t(series.step_ms) + 1;
  const uint64_t row = uint64_t{machines_.size()} * series.metrics.size();
  if (steps > options.max_values / std::max<uint64_t>(row, 1)) {
    throw base::Error(
        where,
        "the period is too long for its step: " + std::to_string(steps) + " steps of " +
            std::to_string(series.step_ms) + " ms for " + std::to_string(row) + " series",
        "check the time unit, or choose a shorter period or a longer step");
  }
  series.steps = steps;
}

// Enters one device's samples into the planes of the smallest, mean (as a sum) and largest device.
static void reduce_device(
    const std::vector<int64_t>& time_ms,
    const std::vector<float>& value,
    const Grid& grid,
    size_t machine,
    uint16_t device,
    size_t at,
    std::vector<uint16_t>& counts,
    MetricSeries& series) {
  const size_t stride = series.machines.size();
  float* low = series.values.data() + series.row_begin(at, 0);
  float* sum = series.values.data() + series.row_begin(at + 1, 0);
  float* high = series.values.data() + series.row_begin(at + 2, 0);
  auto& low_device = series.device_of[at];
  auto& high_device = series.device_of[at + 2];
  low_device.resize(counts.size());
  high_device.resize(counts.size());
  nearest_fill(time_ms, grid, [&](size_t step, size_t from) {
    const size_t cell = step * stride + machine;
    const float v = value[from];
    const bool fresh = counts[cell]++ == 0;
    if (fresh || v < low[cell]) {
      low[cell] = v;
      low_device[cell] = device;
    }
    sum[cell] = fresh ? v : sum[cell] + v;
    if (fresh || v > high[cell]) {
      high[cell] = v;
      high_device[cell] = device;
    }
  });
}

// Fills a metric of all machines from the samples of machines or devices.
void SeriesBuilder::fill_metric(
    std::span<const Samples> samples,
    const Layout& layout,
    const GridOptions& options,
    MetricSeries& series) const {
  const size_t metric = samples.front().key.metric;
  const size_t at = layout.at[metric];
  const size_t stride = machines_.size();
  const bool devices = layout.has_devices[metric];
  std::vector<uint16_t> counts(devices ? series.steps * stride : 0, 0);  // devices seen
  Column column;
  for (const Samples& s : samples) {
    read(s, SIZE_MAX, column);
    std::vector<int64_t> gaps;
    add_gaps(column.time_ms, gaps);
    const bool known = gaps.size() >= 3;  // one of fewer may be a gap in the recording
    const double usual = known ? std::min(kSlowest, double(median_gap(gaps))) : 0;
    const double limit =
        std::max({options.fill_limit_s * 1000, 1.5 * double(series.step_ms), kFillShare * usual});
    const Grid grid{series.begin_ms, series.step_ms, int64_t(limit), series.steps};
    if (devices) {
      const auto device = uint16_t(std::min<uint32_t>(s.key.device, UINT16_MAX));
      reduce_device(column.time_ms, column.value, grid, s.key.machine, device, at, counts, series);
    } else {
      float* out = series.values.data() + series.row_begin(at, 0) + s.key.machine;
      nearest_fill(column.time_ms, grid, [&](size_t step, size_t from) {
        out[step * stride] = column.value[from];
      });
    }
  }
  if (!devices)
    return;
  float* mean = series.values.data() + series.row_begin(at + 1, 0);
  for (size_t i = 0; i < counts.size(); ++i)
    mean[i] /= counts[i] > 0 ? float(counts[i]) : 1.0f;
}

// Returns the devices of each machine that sent samples.
std::vector<std::vector<uint32_t>> SeriesBuilder::devices_seen() const {
  std::vector<std::set<uint32_t>> seen(machines_.size());
  for (const Samples& s : samples_) {
    if (s.key.device != 0)
      seen[s.key.machine].insert(s.key.device);
  }
  std::vector<std::vector<uint32_t>> out;
  for (const std::set<uint32_t>& devices : seen)
    out.emplace_back(devices.begin(), devices.end());
  return out;
}

// Returns the error for an input without usable samples, with the most frequent reason.
base::Error SeriesBuilder::nothing_usable(const base::Location& where) const {
  const auto most = std::ranges::max_element(report_.reasons, {}, [](const auto& reason) {
    return reason.second;
  });
  if (most == report_.reasons.end())
    return where.file.starts_with("http")
               ? base::Error(
                     where,
                     "the store has no such sample in the period",
                     "'lento fleet doctor " + where.file + "' lists metrics and jobs that it has")
               : base::Error(where, "no usable sample", "check the column names and the period");
  return base::Error(
      report_.first_skip,
      "no usable sample: " + std::to_string(report_.skipped) + " skipped, most because: " + most->first,
      "check what is named as the columns of machine, time and metrics");
}

MetricSeries SeriesBuilder::build(const GridOptions& options, const base::Location& where) {
  if (samples_.empty())
    throw nothing_usable(where);
  part_ = 0;
  for (Samples& s : samples_) {
    if (s.falls)
      sort_by_time(s, where);
  }
  std::vector<bool> nobody = options.whole ? seen_once() : std::vector<bool>(machines_.size(), false);
  for (size_t m = 0; m < nobody.size(); ++m)
    nobody[m] = nobody[m] || fault_[m] != evidence::NameFault::None;
  if (std::ranges::count(nobody, true) > 0)
    leave_out(nobody, where);
  MetricSeries series;
  series.machines = machines_;
  series.labels = labels_;
  series.devices = devices_;
  series.devices_seen = devices_seen();
  const Layout layout = lay_out(series);
  choose_grid(options, where, series);
  // A plane is first written when its metric is laid out, after the samples of the metrics before it were
  // freed. The system therefore never holds all samples and all planes at once.
  const size_t plane = series.steps * machines_.size();
  series.values.reserve(plane * series.metrics.size());
  std::ranges::stable_sort(samples_, [](const Samples& a, const Samples& b) {
    return a.key.metric < b.key.metric;
  });
  for (auto from = samples_.begin(); from != samples_.end();) {
    const auto to = std::find_if(from, samples_.end(), [&](const Samples& s) {
      return s.key.metric != from->key.metric;
    });
    const size_t metric = from->key.metric;
    const size_t planes = layout.at[metric] + (layout.has_devices[metric] ? 3 : 1);
    series.values.resize(plane * planes, kNoSample);
    fill_metric({from, to}, layout, options, series);
    slabs_[metric] = {};
    from = to;
  }
  series.values.resize(plane * series.metrics.size(), kNoSample);
  samples_.clear();
  slabs_.clear();
  index_.clear();
  last_key_ = UINT64_MAX;
  count_ = 0;
  return series;
}

}  // namespace lento::fleet
