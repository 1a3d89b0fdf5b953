// CSV by the grammar
//   file  = line { "\n" line }        line = field { delimiter field }
//   field = { char - (delimiter, '"') } | '"' { char - '"' | '""' } '"'
// one line at a time: a quoted field may not hold a line end. The header shows the delimiter (base/csv.h).
#include "base/csv.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/units.h"
#include "fleet/source/source.h"

namespace lento::fleet {
namespace {

constexpr size_t kMaxColumns = 1u << 16;

// Columns of these names tell machines apart.
constexpr std::array<std::string_view, 10> kMachineNames{
    "machine",
    "node",
    "host",
    "hostname",
    "instance",
    "nodename",
    "server",
    "worker",
    "machine_id",
    "node_id"};

// Splits into views of `line`; quoted fields are unescaped into `scratch`. False when a quote is not closed.
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
      fields.push_back(line.substr(i, end - i));
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

// Which column is what.
struct Columns {
  int machine = -1;
  int time = -1;
  int device = -1;
  std::vector<std::pair<size_t, uint32_t>> metrics;  // column -> metric id (wide: machine id)
  std::vector<std::pair<size_t, std::string>> labels;
};

constexpr int64_t kPauseMs = 3'600'000;  // of one job, an hour: a restart from a checkpoint takes less

// What one file covers, and whether it names a machine that a file before it named.
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
  Reader(const CsvOptions& options, trace::SeriesBuilder& builder, base::ReadReport& report)
      : options_(options),
        builder_(builder),
        report_(report),
        ms_(unit_in_ms(options.time_unit)) {
  }

  void read(const std::string& path) {
    base::InputStream in(path);
    where_.file = path;
    std::string_view line;
    if (!in.line(line))
      throw base::Error(where_, "the file is empty, a header line is needed");
    where_.line = 1;
    if (line.starts_with("\xef\xbb\xbf"))
      line.remove_prefix(3);
    delimiter_ = base::csv_delimiter(line);
    if (!split(line, delimiter_, fields_, scratch_))
      throw base::Error(where_, "the header is not a CSV line");
    header_.assign(fields_.begin(), fields_.end());
    columns_ = Columns{};
    if (options_.machine_column.empty() && options_.wide_metric.empty())
      doubt_one_machine();
    find_columns();
    file_machine_ = UINT32_MAX;
    if (columns_.machine < 0 && options_.wide_metric.empty())
      file_machine_ = builder_.machine(stem(path));
    ++file_;
    span_ = {};
    const base::ReadReport before = report_;
    while (in.line(line)) {
      where_.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
      if (!line.empty() && line != "\r")
        record(line);
    }
    doubt_another_run(report_.taken - before.taken, report_.skipped - before.skipped);
  }

 private:
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

  // Taken for one machine, a file of many would lose all records but one a time.
  void doubt_one_machine() const {
    for (const std::string& name : header_) {
      std::string lower = name;
      for (char& c : lower)
        c = char(std::tolower(static_cast<unsigned char>(c)));
      const auto& labels = options_.label_columns;
      const bool used = std::ranges::find(labels, name) != labels.end() || name == options_.device_column;
      if (used || std::ranges::find(kMachineNames, lower) == kMachineNames.end())
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
        if (!used[c])
          add(c, header_[c]);
      }
    } else {
      for (const std::string& name : options_.metrics)
        add(column(name, "metric"), name);
    }
    if (columns_.metrics.empty())
      throw base::Error(where_, "no metric column is left", "name one with --metric");
  }

  // Several files are one job's when they are parts of it. Run after run of the same machines is not: what is
  // usual in one is no measure for the other, and where the later run comes first the earlier would be lost.
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

  void record(std::string_view line) {
    if (!split(line, delimiter_, fields_, scratch_))
      return report_.skip(where_, "a quote is not closed");
    if (fields_.size() != header_.size())
      return report_.skip(where_, "wrong number of fields");
    const auto time = base::try_double(fields_[size_t(columns_.time)]);
    if (!time || std::abs(*time * ms_) > 9e15)
      return report_.skip(where_, "time is not a number");
    if ((options_.from && *time < *options_.from) || (options_.to && *time >= *options_.to))
      return;
    const int64_t time_ms = int64_t(std::llround(*time * ms_));
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
      if (name.empty())
        return report_.skip(where_, "machine name is empty");
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

  void value(const trace::SeriesBuilder::Key& key, int64_t time_ms, std::string_view text) {
    if (text.empty())
      return;
    const auto number = base::try_double(text);
    if (!number)
      return report_.skip(where_, "value is not a finite number");
    builder_.add(key, time_ms, *number, where_);
  }

  const CsvOptions& options_;
  trace::SeriesBuilder& builder_;
  base::ReadReport& report_;
  double ms_;
  base::Location where_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> scratch_;
  char delimiter_ = ',';
  Columns columns_;
  uint32_t wide_metric_ = 0;
  uint32_t file_machine_ = UINT32_MAX;
  FileSpan span_;
  FileSpan before_;             // of the file before
  uint32_t file_ = 0;           // counts from 1
  std::vector<uint32_t> seen_;  // the last file that named each machine
};

}  // namespace

trace::MetricSeries read_csv(const CsvOptions& options, base::ReadReport& report) {
  trace::SeriesBuilder builder(report);
  Reader reader(options, builder, report);
  if (options.paths.empty())
    throw base::Error({}, "no CSV file given");
  for (const std::string& path : options.paths)
    reader.read(path);
  return builder.build(options.grid, {options.paths.front()});
}

}  // namespace lento::fleet
