// Reads tables of counters in quoted fields:
//
//   raw page       a row per launch, a column per metric; a row of units follows the header
//   details page   a row per metric (Metric Name, Metric Value), or a rule with its text (Rule Description)
//   source page    "Kernel Name","f" or "File Name","f.cu", then a header and a row per line or instruction
//   rocprof        a row per launch, a column per counter; COUNTER[3] is of channel 3
//   rocprofv3      a row per counter (Counter_Name, Counter_Value)
//
// A file holds any number of tables: each row that looks like a header begins one. Lines before the first
// header are the profiler's ("==PROF==") and the program's own, and are dropped. In a table with one metric
// per row, a row may end after its value, because the columns of rules are empty there.
#include <cstdio>
#include <vector>

#include "base/number.h"
#include "base/scan/lines.h"
#include "memory/gpu/counter_values.h"

namespace lento::memory {
namespace {

constexpr size_t kMostColumns = 16384;
constexpr size_t kMostKernels = 65536;

using Row = std::vector<std::string>;

// Takes one record of a table with quoted fields from the front of the text. Only a record that begins with
// a quote can go on in the next line: a lone quote in a line of the program must not swallow the table.
Row take_record(std::string_view& text, char delimiter) {
  Row row(1);
  const bool may_span = text.starts_with('"');
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if ((!quoted || !may_span) && (c == '\n' || c == '\r')) {
      break;
    } else if (!quoted && c == delimiter && row.size() < kMostColumns) {
      row.emplace_back();
    } else {
      row.back() += c;
    }
  }
  while (i < text.size() && (text[i] == '\n' || text[i] == '\r'))
    ++i;
  text.remove_prefix(i);
  return row;
}

std::string trimmed_field(const std::string& text) {
  const size_t from = text.find_first_not_of(" \xEF\xBB\xBF");
  return from == text.npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

// Returns whether a line is the header of a table that this file reads.
bool is_header_line(std::string_view line) {
  if (line.starts_with("=="))
    return false;
  const bool by_kernel = has_any(line, {"Kernel Name", "Kernel_Name", "KernelName"});
  // A column name is in quotes or between commas. Without them the same words also occur in the profiler's
  // advice.
  const bool by_line = has_any(
      line,
      {"\"L1 Wavefronts Shared\"",
       "\"L2 Theoretical Sectors Global\"",
       ",L1 Wavefronts Shared,",
       ",L2 Theoretical Sectors Global,",
       "\"Line No\",\"Source\"",
       "\"Address\",\"Source\""});
  return by_line || (by_kernel && has_any(
                                      line,
                                      {"Metric Name",
                                       "Counter_Name",
                                       "l1tex__",
                                       "lts__",
                                       "dram__",
                                       "smsp__",
                                       "sm__",
                                       "device__",
                                       "launch__",
                                       "gpu__",
                                       "SQ_LDS",
                                       "TCC_",
                                       "TCP_",
                                       "TA_",
                                       "LDSBankConflict"}));
}

class Tables {
 public:
  Tables(const std::string& path, base::ReadReport& report)
      : path_(path),
        report_(report) {
  }

  void read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::string_view line = text.substr(0, text.find('\n'));
      const bool is_foreign = is_quoted_ && !line.starts_with('"') && !is_bare_row(line);
      if (line.starts_with("==") || line.find_first_not_of(" \r") == line.npos)
        base::take_line(text);
      else if (take_title(text, line))
        continue;
      else if (is_header_line(line) && !is_foreign)
        begin_table(text, line);
      else if (header_.empty() || is_foreign)
        drop_line(text);
      else
        take_row(text);
    }
  }

  ValuesByPlace values_;

 private:
  // Takes the header of a table and finds its columns.
  void begin_table(std::string_view& text, std::string_view line) {
    is_quoted_ = line.starts_with('"');
    delimiter_ = line.find('\t') != line.npos ? '\t' : ',';
    header_ = take_record(text, delimiter_);
    for (std::string& name : header_)
      name = trimmed_field(name);
    units_.clear();
    first_address_.reset();
    locate();
  }

  // Takes a row above the header of a source page, with a name and nothing else. Returns false
  // for any other.
  bool take_title(std::string_view& text, std::string_view line) {
    const bool is_kernel = line.starts_with("\"Kernel Name\",");
    if (!is_kernel && !line.starts_with("\"File Name\",") && !line.starts_with("\"File Path\","))
      return false;
    std::string_view rest = text;
    const Row row = take_record(rest, ',');
    if (row.size() != 2 && !(row.size() == 3 && row[2].empty()))
      return false;
    (is_kernel ? above_kernel_ : above_file_) = row[1];
    text = rest;
    return true;
  }

  // Returns whether a line without a leading quote is a row of a table whose header is in quotes:
  // rocprofv3 writes numbers bare.
  bool is_bare_row(std::string_view line) const {
    const Row row = take_record(line, delimiter_);
    const size_t size = row.size() - (row.back().empty() ? 1 : 0);
    return base::try_uint(row.front()) && (row.size() == header_.size() || size == header_.size());
  }

  // Drops a line of the program. Between the rows of a table it is counted.
  void drop_line(std::string_view& text) {
    if (!header_.empty())
      report_.skip({path_, line_}, "a line that is no row of the table");
    base::take_line(text);
  }

  void take_row(std::string_view& text) {
    Row row = take_record(text, delimiter_);
    const bool is_list = name_ >= 0 && value_ >= 0;
    if (row.size() == header_.size() + 1 && row.back().empty())
      row.pop_back();
    if (is_list && row.size() > size_t(value_) && row.size() < header_.size())
      row.resize(header_.size());
    if (row.size() != header_.size())
      report_.skip({path_, line_}, "another number of fields than the header");
    else
      take(row);
  }

  // Returns the index of the first of these columns that exists, or -1.
  int find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto at = std::ranges::find(header_, name);
      if (at != header_.end())
        return int(at - header_.begin());
    }
    return -1;
  }

  // Finds the columns, whose names differ between the profilers of NVIDIA and AMD.
  void locate() {
    kernel_ = find({"Kernel Name", "Kernel_Name", "KernelName", "Function Name"});
    launch_ = find({"ID", "Dispatch_Id", "Index", "Correlation_Id"});
    name_ = find({"Metric Name", "Counter_Name"});
    value_ = find({"Metric Value", "Counter_Value"});
    unit_ = find({"Metric Unit"});
    rule_ = find({"Rule Description"});
    source_ = find({"Source"});
    file_ = find({"File", "File Path"});
    row_number_ = find({"#", "Line", "Line No"});
    address_ = find({"Address"});
  }

  // Adds a row to the values of its kernel and source line.
  void take(const Row& row) {
    std::string kernel = kernel_ >= 0 ? row[size_t(kernel_)] : "";
    std::string line;
    if (source_ >= 0 && kernel_ < 0)
      kernel = above_kernel_.empty() ? "kernel" : above_kernel_;
    if (source_ >= 0)
      line = place(row);
    if (kernel.empty()) {
      units_ = row;  // a row without a kernel follows the header
      return;
    }
    if (values_.size() >= kMostKernels && !values_.contains({kernel, line}))
      return report_.skip({path_, line_}, "more kernels than are told apart");
    Values& v = values_[{kernel, line}];
    ++report_.taken;
    const std::string launch = launch_ >= 0 ? row[size_t(launch_)] : std::to_string(line_);
    auto& last = last_launch_[kernel];
    if (launch != last || v.launches == 0)
      ++v.launches;
    last = launch;
    if (name_ >= 0 && value_ >= 0)
      take_metric(row, v);
    else
      take_columns(row, v);
    if (rule_ >= 0)
      add_rule(row[size_t(rule_)], v);
  }

  // Returns the source line or instruction of a row as text. Addresses are counted from the kernel's first,
  // because the kernel lies elsewhere in each run.
  std::string place(const Row& row) {
    std::string text = trimmed_field(row[size_t(source_)]);
    constexpr size_t kShown = 60;
    if (text.size() > kShown)
      text = text.substr(0, kShown) + "...";
    const std::string number = row_number_ >= 0 ? row[size_t(row_number_)] : std::to_string(line_);
    if (file_ >= 0 && !row[size_t(file_)].empty())
      return row[size_t(file_)] + ":" + number;
    if (row_number_ >= 0 && !above_file_.empty())
      return above_file_ + ":" + number + " (" + text + ")";
    if (address_ < 0 || row_number_ >= 0)
      return "line " + number + " (" + text + ")";
    const std::string& address = row[size_t(address_)];
    const auto at = base::try_uint(address.starts_with("0x") ? address.substr(2) : address, 16);
    if (!at)
      return "instruction " + address + " (" + text + ")";
    if (!first_address_)
      first_address_ = at;
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%llx", static_cast<unsigned long long>(*at - *first_address_));
    return std::string("instruction +") + offset + " (" + text + ")";
  }

  void take_metric(const Row& row, Values& v) const {
    const std::string& name = row[size_t(name_)];
    const auto value = counter_number(row[size_t(value_)]);
    if (value && !name.empty())
      v.add(name, unit_ >= 0 ? row[size_t(unit_)] : "", *value);
  }

  // Adds the values of a row that has one column per counter.
  void take_columns(const Row& row, Values& v) const {
    for (size_t i = 0; i < row.size(); ++i) {
      if (int(i) == kernel_ || int(i) == launch_)
        continue;
      const auto value = counter_number(row[i]);
      if (value)
        v.add(header_[i], *value * (i < units_.size() ? counter_scale(units_[i]) : 1));
    }
  }

  const std::string& path_;
  base::ReadReport& report_;
  int line_ = 0;
  Row header_;
  Row units_;  // of a table with a column per metric
  bool is_quoted_ = false;
  char delimiter_ = ',';
  std::string above_kernel_;
  std::string above_file_;
  std::optional<uint64_t> first_address_;
  int kernel_ = -1;
  int launch_ = -1;
  int name_ = -1;
  int value_ = -1;
  int unit_ = -1;
  int rule_ = -1;
  int source_ = -1;
  int file_ = -1;
  int row_number_ = -1;
  int address_ = -1;
  std::map<std::string, std::string> last_launch_;
};

// Returns whether every row of a table with one metric per row is a duration. Such a table lists kernels and
// has no counters.
bool has_durations_only(std::string_view rows) {
  size_t seen = 0;
  for (size_t end; (end = rows.find('\n')) != rows.npos; ++seen) {
    if (!has_any(rows.substr(0, end), {"gpu__time_duration", "\"Duration\""}))
      return false;
    rows.remove_prefix(end + 1);
  }
  return seen > 0;
}

}  // namespace

bool is_counter_table(std::string_view head) {
  while (!head.empty()) {
    if (is_header_line(base::take_line(head)))
      return !has_durations_only(head);
  }
  return false;
}

ValuesByPlace read_counter_tables(std::string_view text, const std::string& path, base::ReadReport& report) {
  Tables tables(path, report);
  tables.read(text);
  return std::move(tables.values_);
}

}  // namespace lento::memory
