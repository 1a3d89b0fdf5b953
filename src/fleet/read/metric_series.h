// The metrics of a fleet on one time grid, and the builder that puts irregular samples onto it.
//
//   samples (metric, machine, time, value) -> SeriesBuilder -> MetricSeries -> detector
//
// A machine may report a metric from several devices (GPUs). The series then holds three metrics, "name:min",
// "name:mean" and "name:max" over the devices, and the devices that were the lowest and the highest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/read_report.h"
#include "evidence/names.h"

namespace lento::fleet {

using Labels = std::vector<std::pair<std::string, std::string>>;

// Returns the labels with these keys as one text. Machines with equal texts are peers.
std::string group_name(const Labels& labels, const std::vector<std::string>& keys);

// values[(metric * steps + time) * machines + machine], NaN where there is no sample near this time.
struct MetricSeries {
  std::vector<std::string> machines;
  std::vector<Labels> labels;  // per machine; may be empty
  std::vector<std::string> metrics;
  int64_t begin_ms = 0;  // time of step 0: Unix time, or time since the start of the recording
  int64_t step_ms = 1000;
  size_t steps = 0;
  int64_t sample_gap_ms = 0;  // median distance of samples before they were put on the grid; 0: not known
  std::vector<int64_t> newest_ms;  // time of a machine's last sample, INT64_MIN: none; may be empty
  std::vector<float> values;
  std::vector<std::string> devices;                 // names, index 0 is "none"
  std::vector<std::vector<uint32_t>> devices_seen;  // by machine: devices with samples, sorted; may be empty
  std::map<size_t, std::vector<uint16_t>> device_of;  // metric (":min", ":max") -> device per value
  bool by_step = false;                               // times count steps of a program, as if each took 1 s
  std::vector<std::string> notes;                     // how a table was read, for the notes of a diagnosis

  size_t row_begin(size_t metric, size_t step) const {
    return (metric * steps + step) * machines.size();
  }
  std::span<const float> row(size_t metric, size_t step) const {
    return {values.data() + row_begin(metric, step), machines.size()};
  }
  std::span<float> row(size_t metric, size_t step) {
    return {values.data() + row_begin(metric, step), machines.size()};
  }
  float at(size_t metric, size_t step, size_t machine) const {
    return values[row_begin(metric, step) + machine];
  }
  int64_t time_ms(size_t step) const {
    return begin_ms + int64_t(step) * step_ms;
  }
};

// Returns the device that a reduced metric of a machine was taken from in more than half of the steps from
// `begin` to before `end`, or "".
std::string device_of(const MetricSeries& series, size_t metric, size_t machine, size_t begin, size_t end);

// Returns the metric of the other extreme over devices, such as "power:max" for "power:min".
std::optional<size_t> other_extreme(const std::vector<std::string>& metrics, size_t metric);

// Returns the value of label `key` of a machine, "" when it has none.
std::string_view label(const MetricSeries& series, size_t machine, std::string_view key);

struct GridOptions {
  std::optional<int64_t> begin_ms;  // time of the first step; nullopt: that of the first sample
  int64_t step_ms = 0;      // 0: the median distance of samples, rounded to 100 ms (to 1 s above 900 ms)
  double fill_limit_s = 5;  // a sample further away than this, than 1.5 steps and than 0.75 of the
                            // usual distance of its series' samples does not fill a step
  uint64_t max_values = uint64_t{400} << 20;  // steps x machines x metrics over this is refused
  // The samples are a whole recording. Machines with samples at a single time are then left out as damaged
  // names, if most machines have samples at three times or more. False for pieces of a stream.
  bool whole = true;
};

// Collects samples with machines and metrics in any order. The times of one series must rise, and samples
// that break this are skipped and counted. After begin_part_in_any_order() they may fall, and build() sorts
// such series and keeps the first of equal times. A machine whose name is invalid (evidence/names.h) is left
// out with its samples. Costs 8.5 bytes per sample of a long series.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(base::ReadReport& report, uint64_t max_samples = uint64_t{200} << 20)
      : report_(report),
        max_samples_(max_samples) {
  }

  // Begins a part whose samples may be in any order of time, but later than those of the parts before it.
  void begin_part_in_any_order();

  // Makes build() throw when a series has two different values at one time. The same value twice is skipped.
  void refuse_clashes() {
    refuses_clashes_ = true;
  }

  uint32_t machine(std::string_view name);  // id of the name, new or known
  uint32_t metric(std::string_view name);
  uint32_t device(std::string_view name);  // 0 is "no device"
  void set_label(uint32_t machine, std::string_view key, std::string_view value);

  struct Key {
    uint32_t metric = 0;
    uint32_t machine = 0;
    uint32_t device = 0;
  };
  // Adds a sample. Values that are not finite and times that do not rise are skipped and counted at `where`.
  void add(const Key& key, int64_t time_ms, double value, const base::Location& where);

  // Fills the grid with the nearest samples (the earlier of two at equal distance). Throws Error when there
  // is no usable sample or the grid exceeds max_values.
  MetricSeries build(const GridOptions& options, const base::Location& where);

 private:
  // A series is a linked list of blocks, which lie in the slabs of its metric. Nothing is moved as a series
  // grows, and the slabs of a metric are freed once it is on the grid. Blocks are numbered from 1; 0: none.
  struct Block {
    static constexpr size_t kRoom = 32;
    int64_t begin_ms;
    uint32_t count;
    uint32_t next;  // number of the block after this
    std::array<uint32_t, kRoom> after_ms;
    std::array<float, kRoom> value;
  };
  struct Slabs {
    static constexpr size_t kBlocks = 256;
    std::vector<std::unique_ptr<Block[]>> slabs;
    size_t used = 0;
    Block& at(uint32_t number) const {
      return slabs[(number - 1) / kBlocks][(number - 1) % kBlocks];
    }
    uint32_t add(int64_t begin_ms);  // returns the block's number
  };
  struct Samples {
    Key key;
    uint32_t first_block = 0;
    uint32_t last_block = 0;
    int64_t first_ms = 0;
    int64_t last_ms = 0;
    int64_t floor_ms = INT64_MIN;  // last time of the earlier parts; samples must be later
    uint32_t part = 0;
    bool falls = false;  // times were not in order
  };
  struct Column;  // the samples of one series in the order of arrival
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Ids = std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>>;
  uint32_t id(Ids& ids, std::vector<std::string>& names, std::string_view name);
  Samples& samples(const Key& key);
  base::Error nothing_usable(const base::Location& where) const;
  base::Error clash(const Key& key, int64_t time_ms, const base::Location& where) const;
  void append(Samples& to, int64_t time_ms, float value);
  bool in_time(Samples& to, int64_t time_ms) const;
  void sort_by_time(Samples& series, const base::Location& where);
  std::vector<bool> seen_once() const;
  void leave_out(const std::vector<bool>& machines, const base::Location& where);
  void read(const Samples& from, size_t most, Column& to) const;
  struct Layout;
  int64_t sample_gap() const;
  std::vector<std::vector<uint32_t>> devices_seen() const;
  Layout lay_out(MetricSeries& series) const;
  void choose_grid(const GridOptions& options, const base::Location& where, MetricSeries& series) const;
  void fill_metric(
      std::span<const Samples> samples,
      const Layout& layout,
      const GridOptions& options,
      MetricSeries& series) const;

  base::ReadReport& report_;
  uint64_t max_samples_;
  uint64_t count_ = 0;
  uint32_t part_ = 0;  // 0: time must rise
  bool refuses_clashes_ = false;
  Ids machine_ids_;
  Ids metric_ids_;
  Ids device_ids_;
  std::vector<std::string> machines_;
  std::vector<std::string> metrics_;
  std::vector<std::string> devices_{""};
  std::vector<Labels> labels_;
  std::vector<evidence::NameFault> fault_;      // by machine: why its name is invalid
  std::unordered_map<uint64_t, size_t> index_;  // packed key -> samples_
  std::vector<Samples> samples_;
  std::vector<Slabs> slabs_;  // by metric
  uint64_t last_key_ = UINT64_MAX;
  size_t last_ = 0;
};

}  // namespace lento::fleet
