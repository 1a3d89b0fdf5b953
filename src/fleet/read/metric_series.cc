// Collects irregular samples of many series and lays them out on one grid of time, metric and machine.
// Samples of a series are chained blocks in slabs of its metric, so that nothing moves as a series grows and
// a metric returns its memory once it is laid out. A grid value is the nearest sample within a limit. Cost:
// 8.5 bytes a sample, and one pass over samples and grid.
#include "fleet/read/metric_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/moment.h"
#include "base/units.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

using base::Error;
using base::Location;

constexpr uint32_t kMaxNames = 1u << 20;  // metrics, machines, devices: each id fits 20 bits of a packed key
constexpr double kFillShare = 0.75;       // of a series' own distance of samples: half, and some jitter
constexpr double kSlowest = 300'000;      // ms; a series of rarer samples has holes
constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

uint64_t pack(const SeriesBuilder::Key& key) {
  return (uint64_t{key.metric} << 40) | (uint64_t{key.machine} << 20) | key.device;
}

// The grid of the output. The nearest sample of each step goes to out[step * stride], and NaN stays where
// none is within `limit_ms`.
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

std::string group_name(const Labels& labels, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    for (const auto& [k, v] : labels) {
      if (k == key)
        name += key + "=" + v + " ";
    }
  }
  return name;
}

std::string_view label(const MetricSeries& series, size_t machine, std::string_view key) {
  if (machine >= series.labels.size())
    return {};
  for (const auto& [name, value] : series.labels[machine]) {
    if (name == key)
      return value;
  }
  return {};
}

// Returns the number of a name and gives it one when new.
uint32_t SeriesBuilder::id(Ids& ids, std::vector<std::string>& names, std::string_view name) {
  const auto found = ids.find(name);
  if (found != ids.end())
    return found->second;
  if (names.size() + 1 >= kMaxNames)
    throw Error({}, "over a million different machines, metrics or devices");
  const uint32_t fresh = uint32_t(names.size());
  names.emplace_back(name);
  ids.emplace(std::string(name), fresh);
  return fresh;
}

uint32_t SeriesBuilder::machine(std::string_view name) {
  const uint32_t at = id(machine_ids_, machines_, name);
  if (labels_.size() <= at) {
    labels_.resize(at + 1);
    fault_.push_back(evidence::fault_of_name(name));
  }
  return at;
}

uint32_t SeriesBuilder::metric(std::string_view name) {
  return id(metric_ids_, metrics_, name);
}

uint32_t SeriesBuilder::device(std::string_view name) {
  if (name.empty())
    return 0;
  return id(device_ids_, devices_, name);
}

// Sets a label of a machine.
void SeriesBuilder::set_label(uint32_t machine, std::string_view key, std::string_view value) {
  for (auto& [name, old] : labels_[machine]) {
    if (name == key) {
      old = value;
      return;
    }
  }
  labels_[machine].emplace_back(key, value);
}

// Returns the samples of a metric on a machine or device.
SeriesBuilder::Samples& SeriesBuilder::samples(const Key& key) {
  const uint64_t packed = pack(key);
  if (packed == last_key_)
    return samples_[last_];
  const auto [at, fresh] = index_.emplace(packed, samples_.size());
  if (fresh)
    samples_.push_back({key});
  last_key_ = packed;
  last_ = at->second;
  return samples_[last_];
}

uint32_t SeriesBuilder::Slabs::add(int64_t begin_ms) {
  if (used == slabs.size() * kBlocks)
    slabs.push_back(std::make_unique_for_overwrite<Block[]>(kBlocks));
  const auto number = uint32_t(++used);
  Block& block = at(number);
  block.begin_ms = begin_ms;
  block.count = 0;
  block.next = 0;
  return number;
}

void SeriesBuilder::begin_part_in_any_order() {
  ++part_;
}

// Returns whether a sample of this time may follow in its series.
bool SeriesBuilder::in_time(Samples& to, int64_t time_ms) const {
  if (to.first_block == 0)
    return true;
  if (part_ == 0)
    return time_ms > to.last_ms;
  if (to.part != part_)
    to.floor_ms = to.last_ms;
  return time_ms > to.floor_ms;
}

// Appends a sample. Where times may fall, a block begins 24 days before its first sample, so that it also
// holds earlier ones.
void SeriesBuilder::append(Samples& to, int64_t time_ms, float value) {
  const int64_t begin_ms = time_ms - (part_ > 0 ? int64_t{1} << 31 : 0);
  if (slabs_.size() <= to.key.metric)
    slabs_.resize(to.key.metric + 1);
  Slabs& slabs = slabs_[to.key.metric];
  if (to.first_block == 0) {
    to.first_block = to.last_block = slabs.add(begin_ms);
    to.first_ms = to.last_ms = time_ms;
  }
  const Block& last = slabs.at(to.last_block);
  const uint64_t after = uint64_t(time_ms) - uint64_t(last.begin_ms);
  if (last.count == Block::kRoom || after > UINT32_MAX) {
    const uint32_t fresh = slabs.add(begin_ms);
    slabs.at(to.last_block).next = fresh;
    to.last_block = fresh;
  }
  Block& block = slabs.at(to.last_block);
  block.after_ms[block.count] = uint32_t(uint64_t(time_ms) - uint64_t(block.begin_ms));
  block.value[block.count] = value;
  ++block.count;
  to.part = part_;
  to.first_ms = std::min(to.first_ms, time_ms);
  to.last_ms = std::max(to.last_ms, time_ms);
}

constexpr const char* kSecondSample = "second sample of a machine at the same time";

struct SeriesBuilder::Column {
  std::vector<int64_t> time_ms;
  std::vector<float> value;
};

// Reads the first samples of a series, `most` or a few more.
void SeriesBuilder::read(const Samples& from, size_t most, Column& to) const {
  to.time_ms.clear();
  to.value.clear();
  const Slabs& slabs = slabs_[from.key.metric];
  for (uint32_t next = from.first_block; next != 0 && to.value.size() < most;) {
    const Block& block = slabs.at(next);
    for (uint32_t i = 0; i < block.count; ++i) {
      to.time_ms.push_back(block.begin_ms + int64_t{block.after_ms[i]});
      to.value.push_back(block.value[i]);
    }
    next = block.next;
  }
}

void SeriesBuilder::add(const Key& key, int64_t time_ms, double value, const Location& where) {
  if (const auto fault = fault_[key.machine]; fault != evidence::NameFault::None)
    return report_.skip(where, "machine name " + std::string(evidence::describe(fault)));
  if (!std::isfinite(value) || std::abs(value) > std::numeric_limits<float>::max()) {
    return report_.skip(where, "value is not a finite number");
  }
  Samples& to = samples(key);
  if (!in_time(to, time_ms)) {
    return report_.skip(
        where,
        time_ms == to.last_ms ? kSecondSample : "time runs backwards within one machine");
  }
  if (++count_ > max_samples_)
    throw Error(where, "too many samples for one period", "read a shorter period");
  // Equal times are detected when all samples are there.
  to.falls = to.falls || (to.first_block != 0 && time_ms <= to.last_ms);
  append(to, time_ms, float(value));
  ++report_.taken;
}

// Writes the series again in order of time. Its old blocks are freed with those of its metric.
void SeriesBuilder::sort_by_time(Samples& series, const Location& where) {
  Column column;
  read(series, SIZE_MAX, column);
  std::vector<size_t> order(column.value.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) {
    return column.time_ms[i];
  });
  Samples sorted{series.key};
  float last = kNoValue;
  for (const size_t i : order) {
    if (sorted.first_block != 0 && column.time_ms[i] == sorted.last_ms) {
      if (refuses_clashes_ && column.value[i] != last)
        throw clash(series.key, column.time_ms[i], where);
      --report_.taken;
      report_.skip(where, kSecondSample);
    } else {
      append(sorted, column.time_ms[i], column.value[i]);
      last = column.value[i];
    }
  }
  series = sorted;
}

// Machines of a single moment, where more than half of all have three and more: with two, a beginning or an
// end within the recording explains the one.
std::vector<bool> SeriesBuilder::seen_once() const {
  constexpr size_t kMany = 3;
  std::vector<int64_t> first(machines_.size(), INT64_MAX);
  std::vector<int64_t> last(machines_.size(), INT64_MIN);
  std::vector<bool> often(machines_.size(), false);
  Column column;
  for (const Samples& s : samples_) {
    const uint32_t m = s.key.machine;
    first[m] = std::min(first[m], s.first_ms);
    last[m] = std::max(last[m], s.last_ms);
    if (!often[m] && s.first_ms < s.last_ms) {
      read(s, kMany, column);
      often[m] = column.value.size() >= kMany;
    }
  }
  std::vector<bool> once(machines_.size());
  for (size_t m = 0; m < once.size(); ++m)
    once[m] = first[m] == last[m];
  const auto many = size_t(std::ranges::count(often, true));
  const auto some = size_t(std::ranges::count(once, true));
  return 2 * many > machines_.size() && some > 0 ? once : std::vector<bool>(machines_.size(), false);
}

// Removes machines with their samples, so that those behind them move up.
void SeriesBuilder::leave_out(const std::vector<bool>& machines, const Location& where) {
  const std::vector<std::string> names = machines_;
  std::vector<uint32_t> place(names.size());
  uint32_t kept = 0;
  for (size_t m = 0; m < machines_.size(); ++m) {
    place[m] = kept;
    if (machines[m])
      continue;
    machines_[kept] = machines_[m];
    labels_[kept] = labels_[m];
    fault_[kept] = fault_[m];
    ++kept;
  }
  machines_.resize(kept);
  labels_.resize(kept);
  fault_.resize(kept);
  machine_ids_.clear();
  for (uint32_t m = 0; m < kept; ++m)
    machine_ids_.emplace(machines_[m], m);
  std::erase_if(samples_, [&](Samples& s) {
    const uint32_t m = s.key.machine;
    if (!machines[m]) {
      s.key.machine = place[m];
      return false;
    }
    --report_.taken;
    report_.skip({where.file, 0, 0, "machine '" + names[m] + "'"}, "of a machine that is seen once");
    return true;
  });
  index_.clear();
  last_key_ = UINT64_MAX;
}

// Returns the error for two different values at the same time.
Error SeriesBuilder::clash(const Key& key, int64_t time_ms, const Location& where) const {
  constexpr int64_t kYear1973Ms = 100'000'000'000;
  const double time_s = double(time_ms) / 1000;
  const std::string time = time_ms > kYear1973Ms ? base::format_moment(time_s)
                                                 : base::format_quantity(time_s, base::Dimension::Time);
  return Error(
      where,
      "two values for one cell: " + metrics_[key.metric] + " of " + machines_[key.machine] +
          (key.device ? ", " + devices_[key.device] : "") + " at " + time,
      "a column that tells these rows apart is not used: name it with --device-column, or the one that names "
      "metrics with --metric-column; times that were rounded or fell back by an hour clash too");
}

// The median of some distances of samples; 0 when there are none.
static int64_t median_gap(std::vector<int64_t>& gaps) {
  if (gaps.empty())
    return 0;
  return evidence::lower_median_reordering(std::span(gaps));
}

constexpr size_t kGapsOf = 64;  // samples of a series

static void add_gaps(const std::vector<int64_t>& time_ms, std::vector<int64_t>& gaps) {
  for (size_t i = 1; i < std::min(time_ms.size(), kGapsOf); ++i)
    gaps.push_back(time_ms[i] - time_ms[i - 1]);
}

// Rounds the distance of samples to the step of their grid.
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

// The place of the values of each metric: one row of planes, or three for the smallest, mean and largest
// device.
struct SeriesBuilder::Layout {
  std::vector<bool> has_devices;  // by metric id
  std::vector<size_t> at;         // first metric of the series
};

// Returns where each metric stands among the rows of the result.
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
void SeriesBuilder::choose_grid(const GridOptions& options, const Location& where, MetricSeries& series)
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
    throw Error(
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
    const bool known = gaps.size() >= 3;  // of fewer, one may be a hole
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
Error SeriesBuilder::nothing_usable(const Location& where) const {
  const auto most = std::ranges::max_element(report_.reasons, {}, [](const auto& reason) {
    return reason.second;
  });
  if (most == report_.reasons.end())
    return Error(where, "no usable sample", "check the column names and the period");
  return Error(
      report_.first_skip,
      "no usable sample: " + std::to_string(report_.skipped) + " skipped, most because: " + most->first,
      "check what is named as the columns of machine, time and metrics");
}

MetricSeries SeriesBuilder::build(const GridOptions& options, const Location& where) {
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
    series.values.resize(plane * planes, kNoValue);
    fill_metric({from, to}, layout, options, series);
    slabs_[metric] = {};
    from = to;
  }
  series.values.resize(plane * series.metrics.size(), kNoValue);
  samples_.clear();
  slabs_.clear();
  index_.clear();
  last_key_ = UINT64_MAX;
  count_ = 0;
  return series;
}

}  // namespace lento::fleet
