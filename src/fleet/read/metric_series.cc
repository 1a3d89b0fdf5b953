// Collects irregular samples of many series and lays them out on one grid of time, metric and machine.
// Samples of a series lie in linked blocks in the slabs of its metric, so that nothing moves as a series
// grows and the memory of a metric is freed once it is on the grid (series_grid.cc). Cost: 8.5 bytes per
// sample.
#include "fleet/read/metric_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/moment.h"
#include "base/units.h"
#include "fleet/read/series_column.h"

namespace lento::fleet {
namespace {

using base::Error;
using base::Location;

constexpr uint32_t kMaxNames = 1u << 20;  // metrics, machines, devices: each id fits 20 bits of a packed key
constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

uint64_t pack(const SeriesBuilder::Key& key) {
  return (uint64_t{key.metric} << 40) | (uint64_t{key.machine} << 20) | key.device;
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

std::string device_of(const MetricSeries& series, size_t metric, size_t machine, size_t begin, size_t end) {
  const auto devices = series.device_of.find(metric);
  if (devices == series.device_of.end())
    return "";
  std::map<uint16_t, size_t> steps_of;
  size_t steps = 0;
  for (size_t step = begin; step < std::min(end, series.steps); ++step) {
    if (const uint16_t d = devices->second[step * series.machines.size() + machine]) {
      ++steps_of[d];
      ++steps;
    }
  }
  const auto most = std::ranges::max_element(steps_of, {}, &std::pair<const uint16_t, size_t>::second);
  return steps > 0 && 2 * most->second > steps ? series.devices[most->first] : "";
}

std::optional<size_t> other_extreme(const std::vector<std::string>& metrics, size_t metric) {
  std::string name = metrics[metric];
  const bool low = name.ends_with(":min");
  if (!low && !name.ends_with(":max"))
    return std::nullopt;
  name.replace(name.size() - 3, 3, low ? "max" : "min");
  const auto at = std::ranges::find(metrics, name);
  return at == metrics.end() ? std::nullopt : std::optional(size_t(at - metrics.begin()));
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

// Returns whether a sample with this time may be added: later than the last one of its series or, when times
// may fall, later than the earlier parts.
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

// Reads whole blocks from the start of a series until `to` has `most` samples or more.
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
  // build() detects equal times, once all samples have been added.
  to.falls = to.falls || (to.first_block != 0 && time_ms <= to.last_ms);
  append(to, time_ms, float(value));
  ++report_.taken;
}

// Appends the samples of a series again in the order of time. Its old blocks are freed with those of its
// metric.
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

// Returns the machines with samples at a single time, if more than half of all machines have three samples or
// more, else none. Where most have two, a machine that started late or ended early may have one.
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

// Removes the marked machines with their samples and renumbers the others.
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

}  // namespace lento::fleet
