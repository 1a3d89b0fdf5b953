// Reads metrics from CSV by the grammar
//   file  = line { "\n" line }        line = field { delimiter field }
//   field = { char - (delimiter, '"') } | '"' { char - '"' | '""' } '"'
// one line at a time: a quoted field may not hold a line end. The header shows the delimiter (base/csv.h). A
// file that begins with '{' is JSON Lines. Times are numbers or dates (base/moment.h), by the first record of
// a file. Values are numbers, bare or with the unit of their column.
#include "base/scan/csv.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/moment.h"
#include "base/number.h"
#include "base/scan/json_lines.h"
#include "base/units.h"
#include "fleet/read/column_names.h"
#include "fleet/read/source.h"
#include "fleet/read/unit_text.h"

namespace lento::fleet {
namespace {

constexpr size_t kMaxColumns = 1u << 16;

// Removes blanks, because some exporters separate fields by ", ".
std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// Splits `line` into views. Quoted fields are unescaped into `scratch`. Returns false when a quote is not
// closed.
bool split(
    std::string_view line,
    char delimiter,
    std::vector<std::string_view>& fields,
    std::vector<std::string>& scratch) {
  fields.clear();
  scratch.clear();
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  scratch.reserve(size_t(std::ranges::count(line, '"')) / 2 + 1);  // views stay valid
  size_t i = 0;
  for (;;) {
    if (i < line.size() && line[i] == '"') {
      std::string& text = scratch.emplace_back();
      for (++i;; ++i) {
        if (i >= line.size())
          return false;
        if (line[i] == '"') {
          if (i + 1 >= line.size() || line[i + 1] != '"')
            break;
          ++i;
        }
        text += line[i];
      }
      if (++i < line.size() && line[i] != delimiter)
        return false;
      fields.push_back(text);
    } else {
      const size_t end = std::min(line.find(delimiter, i), line.size());
      fields.push_back(without_blanks(line.substr(i, end - i)));
      i = end;
    }
    if (fields.size() > kMaxColumns)
      return false;
    if (i >= line.size())
      return true;
    ++i;  // the delimiter
    if (i == line.size()) {
      fields.emplace_back();
      return true;
    }
  }
}

double unit_in_ms(const std::string& unit) {
  if (unit == "s")
    return 1000;
  if (unit == "ms")
    return 1;
  if (unit == "us")
    return 0.001;
  throw base::Error({}, "time unit '" + unit + "' is not known", "use s, ms or us");
}

// The roles of the columns.
struct Columns {
  int machine = -1;
  int time = -1;
  int device = -1;
  std::vector<std::pair<size_t, uint32_t>> metrics;  // column -> metric id (wide: machine id)
  std::vector<std::pair<size_t, std::string>> labels;
};

constexpr int64_t kPauseMs = 3'600'000;  // of one job, an hour: a restart from a checkpoint takes less

// The period of one file, and whether it names a machine of an earlier file.
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
        report_(report),
        ms_(unit_in_ms(options.time_unit)) {
  }

  void read(const std::string& path) {
    constexpr size_t kLooked = 256;
    base::InputStream in(path);
    where_ = {path};
    const bool objects = base::JsonLines::begins(in.peek(kLooked));
    std::optional<base::JsonLines> lines;
    if (objects)
      header_ = lines.emplace(in).columns();
    else
      read_header(in);
    where_.line = 1;
    if (header_.size() > kMaxColumns)
      throw base::Error(where_, "the records have more than 65,536 keys");
    clock_ = Clock::Unknown;
    columns_ = Columns{};
    if (options_.machine_column.empty() && options_.wide_metric.empty())
      doubt_one_machine();
    find_columns();
    file_machine_ = UINT32_MAX;
    if (columns_.machine < 0 && options_.wide_metric.empty())
      file_machine_ = builder_.machine(stem(path));
    ++file_;
    builder_.begin_part_in_any_order();
    span_ = {};
    const base::ReadReport before = report_;
    if (objects)
      read_objects(*lines);
    else
      read_lines(in);
    doubt_another_run(report_.taken - before.taken, report_.skipped - before.skipped);
  }

 private:
  enum class Clock {
    Unknown,
    Numbers,
    Dates
  };

  void read_header(base::InputStream& in) {
    std::string_view line;
    if (!in.line(line))
      throw base::Error(where_, "the file is empty, a header line is needed");
    if (line.starts_with("\xef\xbb\xbf"))
      line.remove_prefix(3);
    delimiter_ = base::csv_delimiter(line);
    if (!split(line, delimiter_, fields_, scratch_))
      throw base::Error({where_.file, 1}, "the header is not a CSV line");
    header_.assign(fields_.begin(), fields_.end());
  }

  void read_lines(base::InputStream& in) {
    std::string_view line;
    while (in.line(line)) {
      where_.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
      if (line.empty() || line == "\r")
        continue;
      if (!split(line, delimiter_, fields_, scratch_))
        report_.skip(where_, "a quote is not closed");
      else if (fields_.size() != header_.size())
        report_.skip(where_, "wrong number of fields");
      else
        record();
    }
  }

  void read_objects(base::JsonLines& lines) {
    while (lines.next(scratch_, report_)) {
      where_.line = int(std::min<int64_t>(lines.line_number(), INT32_MAX));
      fields_.assign(scratch_.begin(), scratch_.end());
      record();
    }
  }

  static std::string stem(const std::string& path) {
    const size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.substr(0, name.find('.'));
  }

  size_t column(const std::string& name, const char* role) const {
    const auto at = std::ranges::find(header_, name);
    if (at == header_.end()) {
      throw base::Error(
          where_,
          std::string(role) + " column '" + name + "' is not in the header",
          base::suggestion(name, header_));
    }
    return size_t(at - header_.begin());
  }

  // Refuses a file with a column of machines that is read as one machine, because it would lose all records
  // but one a time.
  void doubt_one_machine() const {
    for (const std::string& name : header_) {
      const auto& labels = options_.label_columns;
      const bool used = std::ranges::find(labels, name) != labels.end() || name == options_.device_column;
      if (used || !names_machine(name))
        continue;
      throw base::Error(
          where_,
          "the column '" + name + "' names machines, but the file is read as one machine",
          "add --machine-column " + name);
    }
  }

  void find_columns() {
    std::vector<std::string> sorted = header_;
    std::ranges::sort(sorted);
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw base::Error(where_, "column '" + *twice + "' appears twice");
    std::vector<bool> used(header_.size(), false);
    const auto take = [&](const std::string& name, const char* role) {
      const size_t c = column(name, role);
      used[c] = true;
      return int(c);
    };
    columns_.time = take(options_.time_column, "time");
    if (!options_.machine_column.empty())
      columns_.machine = take(options_.machine_column, "machine");
    if (!options_.device_column.empty())
      columns_.device = take(options_.device_column, "device");
    for (const std::string& name : options_.label_columns) {
      columns_.labels.emplace_back(size_t(take(name, "label")), name);
    }
    const bool wide = !options_.wide_metric.empty();
    if (wide)
      wide_metric_ = builder_.metric(options_.wide_metric);
    const auto add = [&](size_t c, const std::string& name) {
      columns_.metrics.emplace_back(c, wide ? builder_.machine(name) : builder_.metric(name));
    };
    if (options_.metrics.empty() || wide) {
      for (size_t c = 0; c < header_.size(); ++c) {
        if (!used[c] && !header_[c].empty())  // a table's index has no name
          add(c, header_[c]);
      }
    } else {
      for (const std::string& name : options_.metrics)
        add(column(name, "metric"), name);
    }
    if (columns_.metrics.empty())
      throw base::Error(where_, "no metric column is left", "name one with --metric");
  }

  // Refuses files that are not parts of one job. Separate runs of the same machines must not be joined:
  // normal values of one run do not hold for another, and if the later run came first, the earlier one would
  // be lost.
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
      const auto number = base::try_double(text);
      if (number && std::abs(*number * ms_) <= 9e15) {
        clock_ = Clock::Numbers;
        return *number * ms_;
      }
    }
    const auto moment = clock_ == Clock::Numbers ? std::nullopt : base::try_moment_ms(text);
    if (!moment)
      return std::nullopt;
    clock_ = Clock::Dates;
    return double(*moment);
  }

  void record() {
    const auto time = time_of(fields_[size_t(columns_.time)]);
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
    if (!options_.wide_metric.empty()) {
      for (const auto& [c, machine] : columns_.metrics)
        value({wide_metric_, machine, 0}, time_ms, fields_[c]);
      return;
    }
    uint32_t machine = file_machine_;
    if (columns_.machine >= 0) {
      const std::string_view name = fields_[size_t(columns_.machine)];
      machine = builder_.machine(name);
      if (machine >= seen_.size())
        seen_.resize(machine + 1, 0);
      span_.known |= seen_[machine] != 0 && seen_[machine] != file_;
      seen_[machine] = file_;
    }
    for (const auto& [c, name] : columns_.labels)
      builder_.set_label(machine, name, fields_[c]);
    const uint32_t device = columns_.device >= 0 ? builder_.device(fields_[size_t(columns_.device)]) : 0;
    for (const auto& [c, metric] : columns_.metrics)
      value({metric, machine, device}, time_ms, fields_[c]);
  }

  void value(const fleet::SeriesBuilder::Key& key, int64_t time_ms, std::string_view text) {
    if (text.empty())
      return;
    const auto bare = base::try_double(text);
    const auto quantity = bare ? std::nullopt : unit_text(text);
    if (!bare && !quantity)
      return report_.skip(where_, "value is not a finite number");
    const auto number = bare ? units_.of(key.metric, *bare) : units_.of(key.metric, *quantity);
    if (!number)
      return report_.skip(where_, "value has another unit than its column had before");
    builder_.add(key, time_ms, *number, where_);
  }

  const CsvOptions& options_;
  SeriesBuilder& builder_;
  base::ReadReport& report_;
  double ms_;
  base::Location where_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> scratch_;
  char delimiter_ = ',';
  Clock clock_ = Clock::Unknown;
  MetricUnits units_;
  Columns columns_;
  uint32_t wide_metric_ = 0;
  uint32_t file_machine_ = UINT32_MAX;
  FileSpan span_;
  FileSpan before_;             // of the file before
  uint32_t file_ = 0;           // counts from 1
  std::vector<uint32_t> seen_;  // the last file that named each machine
};

}  // namespace

MetricSeries read_csv(const CsvOptions& options, base::ReadReport& report) {
  SeriesBuilder builder(report);
  Reader reader(options, builder, report);
  if (options.paths.empty())
    throw base::Error({}, "no CSV file given");
  for (const std::string& path : options.paths)
    reader.read(path);
  return builder.build(options.grid, {options.paths.front()});
}

}  // namespace lento::fleet
