// Reads tables of metrics into series. The roles of the columns are found first (table_layout.h), from the
// options and the first rows, so that every command reads a table in the same way. The first record of a file
// decides whether times are numbers or dates. Values are numbers, bare or with the unit of their column.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/number.h"
#include "base/units.h"
#include "fleet/read/column_names.h"
#include "fleet/read/counters.h"
#include "fleet/read/source.h"
#include "fleet/read/table_file.h"
#include "fleet/read/table_layout.h"
#include "fleet/read/unit_text.h"

namespace lento::fleet {
namespace {

constexpr int64_t kPauseMs = 3'600'000;  // longest pause within a job; a restart from a checkpoint is shorter

// The period that one file covers, and whether it has a machine that an earlier file has too.
struct FileSpan {
  int64_t begin_ms = INT64_MAX;
  int64_t end_ms = INT64_MIN;
  bool known = false;
  int64_t length() const {
    return end_ms < begin_ms ? 0 : end_ms - begin_ms;
  }
};

class Reader {
 public:
  Reader(const CsvOptions& options, SeriesBuilder& builder, base::ReadReport& report)
      : options_(options),
        builder_(builder),
        report_(report) {
  }

  void read(const std::string& path) {
    const std::string shown = options_.shown_as.empty() ? path : options_.shown_as;
    TableFile table(path, shown);
    where_ = table.where();
    layout_ = guess_layout(table.header(), table.sample(report_), options_, stem(shown), where_);
    find_order(path, shown, size_t(layout_.time));
    if (notes_.empty())
      notes_.push_back(describe(layout_, table.header()));
    ms_ = unit_in_ms(layout_.time_unit.empty() ? "ms" : layout_.time_unit);
    clock_ = Clock::Unknown;
    name_columns(table.header());
    ++file_;
    builder_.begin_part_in_any_order();
    span_ = {};
    const uint64_t taken = report_.taken;
    const uint64_t skipped = report_.skipped;
    while (table.next(fields_, report_)) {
      where_ = table.where();
      record();
    }
    doubt_another_run(report_.taken - taken, report_.skipped - skipped);
  }

  std::vector<std::string> notes() {
    if (!left_out_.empty())
      notes_.push_back("Left out as annotations: " + left_out_);
    return notes_;
  }
  const std::string& time_unit() const {
    return layout_.time_unit;
  }

 private:
  enum class Clock {
    Unknown,
    Numbers,
    Dates
  };

  static std::string stem(const std::string& path) {
    const size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.substr(0, name.find('.'));
  }

  // Finds the order of day and month, which differs between countries, from all dates of the column.
  void find_order(const std::string& path, const std::string& shown, size_t time) {
    base::ReadReport ignored;
    if (path == "-")
      return;
    DateOrderGuess guess;
    TableFile again(path, shown);
    for (size_t row = 0; again.next(fields_, ignored) && (row < 2 || guess.any()); ++row)
      guess.add(fields_[time]);
    if (!guess.any())
      return;
    layout_.order = guess.order();
    if (layout_.order == DateOrder::Unknown)
      throw base::Error(
          where_,
          "dates such as " + guess.example() + " may have the day or the month first",
          "write them as 2026-01-31 23:59:59");
  }

  // Assigns the columns of the header to metrics and machines.
  void name_columns(const std::vector<std::string>& header) {
    const bool wide = !layout_.wide_metric.empty();
    file_machine_ = UINT32_MAX;
    if (wide)
      wide_metric_ = builder_.metric(layout_.wide_metric);
    else if (layout_.machine < 0)
      file_machine_ = builder_.machine(stem(where_.file));
    metrics_.clear();
    for (const size_t c : layout_.metrics)
      metrics_.emplace_back(c, wide ? builder_.machine(header[c]) : builder_.metric(header[c]));
    labels_.clear();
    for (const size_t c : layout_.labels)
      labels_.emplace_back(c, header[c]);
  }

  // Throws base::Error for files that are not parts of one job. Separate runs of the same machines must not
  // be joined: normal values of one run do not hold for another, and if the later run were read first, the
  // samples of the earlier one would be skipped.
  void doubt_another_run(uint64_t taken, uint64_t skipped) {
    if (span_.known && skipped > taken && span_.begin_ms < before_.end_ms)
      throw base::Error(
          {where_.file},
          "most of its samples lie before or within those of the file before it, of the same machines",
          "give the parts of one job in the order of time, and judge other runs on their own");
    const int64_t longest = std::max(span_.length(), before_.length());
    if (span_.known && span_.begin_ms - before_.end_ms > std::max<int64_t>(longest, kPauseMs))
      throw base::Error(
          {where_.file},
          "begins " +
              base::format_quantity(double(span_.begin_ms - before_.end_ms) / 1000, base::Dimension::Time) +
              " after the end of the file before it, longer than either lasts: another run of the same "
              "machines",
          "judge each run on its own");
    if (span_.begin_ms <= span_.end_ms)
      before_ = span_;
  }

  // Returns the time in milliseconds. The first record with a time decides whether the file's times are
  // numbers or dates.
  std::optional<double> time_of(std::string_view text) {
    if (clock_ != Clock::Dates) {
      const auto number = layout_.numbers.read(text);
      if (number && number->unit.empty() && std::abs(number->number * ms_) <= 9e15) {
        clock_ = Clock::Numbers;
        return number->number * ms_;
      }
    }
    const auto moment = clock_ == Clock::Numbers ? std::nullopt : moment_ms(text, layout_.order);
    if (!moment)
      return std::nullopt;
    clock_ = Clock::Dates;
    return double(*moment);
  }

  // Adds the samples of one row.
  void record() {
    const auto time = time_of(fields_[size_t(layout_.time)]);
    if (!time)
      return report_.skip(
          where_,
          clock_ == Clock::Numbers ? "time is not a number"
                                   : "time is neither a number nor a date such as 2026-01-31 23:59:59");
    if ((options_.from && *time < *options_.from * ms_) || (options_.to && *time >= *options_.to * ms_))
      return;
    const int64_t time_ms = int64_t(std::llround(*time));
    span_.begin_ms = std::min(span_.begin_ms, time_ms);
    span_.end_ms = std::max(span_.end_ms, time_ms);
    if (!layout_.wide_metric.empty()) {
      for (const auto& [c, machine] : metrics_)
        value({wide_metric_, machine, 0}, time_ms, fields_[c]);
      return;
    }
    const uint32_t machine = machine_of_row();
    for (const auto& [c, name] : labels_)
      builder_.set_label(machine, name, fields_[c]);
    const uint32_t device = layout_.device >= 0 ? builder_.device(fields_[size_t(layout_.device)]) : 0;
    for (const auto& [c, metric] : metrics_)
      value({metric, machine, device}, time_ms, fields_[c]);
    if (layout_.metric_name < 0)
      return;
    const std::string_view name = fields_[size_t(layout_.metric_name)];
    if (names_peer_group(name))
      builder_.set_label(machine, name, fields_[size_t(layout_.value)]);
    else if (const uint32_t metric = metric_of_row(); metric != kLeftOut)
      value({metric, machine, device}, time_ms, fields_[size_t(layout_.value)]);
  }

  // Returns the machine of the row.
  uint32_t machine_of_row() {
    if (layout_.machine < 0)
      return file_machine_;
    const std::string_view name = fields_[size_t(layout_.machine)];
    const bool bare = !layout_.machine_prefix.empty() && base::try_uint(name);
    const uint32_t machine =
        bare ? builder_.machine(layout_.machine_prefix + std::string(name)) : builder_.machine(name);
    if (machine >= seen_.size())
      seen_.resize(machine + 1, 0);
    span_.known |= seen_[machine] != 0 && seen_[machine] != file_;
    seen_[machine] = file_;
    return machine;
  }

  // Returns the id of the metric that a row of a tidy table names, or kLeftOut.
  uint32_t metric_of_row() {
    const std::string name(fields_[size_t(layout_.metric_name)]);
    const auto known = names_.find(name);
    if (known != names_.end())
      return known->second;
    const auto& wanted = options_.metrics;
    const bool is_named = std::ranges::find(wanted, name) != wanted.end();
    const bool is_left_out = wanted.empty() ? name.empty() || names_annotation(name) : !is_named;
    if (is_left_out && wanted.empty() && !name.empty())
      left_out_ += (left_out_.empty() ? "" : ", ") + name;
    return names_.emplace(name, is_left_out ? kLeftOut : builder_.metric(name)).first->second;
  }

  // Adds the value of a cell. Empty cells add none.
  void value(const fleet::SeriesBuilder::Key& key, int64_t time_ms, std::string_view text) {
    if (text.empty())
      return;
    const auto quantity = layout_.numbers.read(text);
    if (!quantity)
      return report_.skip(where_, "value is not a finite number");
    const auto number =
        quantity->unit.empty() ? units_.of(key.metric, quantity->number) : units_.of(key.metric, *quantity);
    if (!number)
      return report_.skip(where_, "value has another unit than its column had before");
    builder_.add(key, time_ms, *number, where_);
  }

  static constexpr uint32_t kLeftOut = UINT32_MAX;

  const CsvOptions& options_;
  SeriesBuilder& builder_;
  base::ReadReport& report_;
  double ms_ = 1000;
  base::Location where_;
  std::vector<std::string_view> fields_;
  Clock clock_ = Clock::Unknown;
  MetricUnits units_;
  TableLayout layout_;
  std::vector<std::pair<size_t, uint32_t>> metrics_;  // column -> metric id (wide: machine id)
  std::vector<std::pair<size_t, std::string>> labels_;
  std::unordered_map<std::string, uint32_t> names_;  // of metrics in tidy tables
  std::string left_out_;
  std::vector<std::string> notes_;
  uint32_t wide_metric_ = 0;
  uint32_t file_machine_ = UINT32_MAX;
  FileSpan span_;
  FileSpan before_;             // period of the previous file
  uint32_t file_ = 0;           // counts from 1
  std::vector<uint32_t> seen_;  // the last file that named each machine
};

// Throws base::Error when the distance between samples is implausible, because the time unit was stated wrong
// by a factor of a thousand.
void doubt_time(const CsvOptions& o, const std::string& unit, const MetricSeries& series) {
  constexpr double kTooFine = 0.05;  // s between samples: no exporter of a fleet is that fast
  constexpr double kTooCoarse = 1000;
  const double gap_s = double(series.sample_gap_ms) / 1000;
  if (o.grid.step_ms > 0 || gap_s == 0 || unit.empty() || unit == kStepUnit ||
      (gap_s >= kTooFine && gap_s <= kTooCoarse))
    return;
  std::string fitting = gap_s < kTooFine ? "s" : "ms";
  for (const char* other : {"s", "ms", "us", "ns"}) {
    const double seconds = gap_s / unit_in_ms(unit) * unit_in_ms(other);
    if (seconds >= kTooFine && seconds <= kTooCoarse)
      fitting = other;
  }
  const double period_s = double(series.steps) * double(series.step_ms) / 1000;
  throw base::Error(
      {o.shown_as.empty() ? o.paths.front() : o.shown_as},
      "read with --time-unit " + unit + ", its samples lie " +
          base::format_quantity(gap_s, base::Dimension::Time) + " apart and the period covered is " +
          base::format_quantity(period_s, base::Dimension::Time),
      "try --time-unit " + fitting + "; if it is right, say so with --step");
}

}  // namespace

MetricSeries read_csv(const CsvOptions& options, base::ReadReport& report) {
  if (options.paths.empty())
    throw base::Error({}, "no CSV file given");
  SeriesBuilder builder(report);
  builder.refuse_clashes();
  Reader reader(options, builder, report);
  for (const std::string& path : options.paths)
    reader.read(path);
  MetricSeries series =
      builder.build(options.grid, {options.shown_as.empty() ? options.paths.front() : options.shown_as});
  doubt_time(options, reader.time_unit(), series);
  series.by_step = reader.time_unit() == kStepUnit;
  series.notes = reader.notes();
  counters_to_rates(series);
  return series;
}

}  // namespace lento::fleet
