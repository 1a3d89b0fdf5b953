// Tables of kernels that profilers print. Each begins with a header line, before which a profiler may have
// printed others, and names the unit of a column in it or in a column of its own.
//
//   nsys    = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name" {row}
//           | the same names, set apart by blanks and underlined
//   ncu     = "ID",...,"Kernel Name",...,"Metric Name","Metric Unit","Metric Value" {row}
//           | "ID",...,"Kernel Name",...,"gpu__time_duration.sum",... units {row}
//   rocprof = "Name","Calls","TotalDurationNs","AverageNs",... {row}
//           | ...,"Kernel_Name",...,"Start_Timestamp","End_Timestamp",... {row}
//
// Source: nsys stats of Nsight Systems 2021.5 to 2025.3 (cuda_gpu_kern_sum, gpukernsum), Nsight Compute 2022
// to 2025, rocprof of ROCm 5, rocprofv3 of ROCm 6 and 7.
#include <algorithm>

#include "base/number.h"
#include "desk/bench/bench.h"
#include "desk/bench/fields.h"
#include "desk/bench/kernels.h"

namespace lento::desk {
namespace {

using Fields = std::vector<std::string>;

constexpr size_t kHeadLines = 200;  // lines that a profiler may print before its table

// Parses a number with or without commas between its digits.
std::optional<double> number(const Fields& fields, int column) {
  if (column < 0 || size_t(column) >= fields.size())
    return std::nullopt;
  std::string plain;
  for (const char c : fields[size_t(column)])
    if (c != ',')
      plain += c;
  return base::try_double(plain);
}

std::optional<double> scaled(std::optional<double> value, double scale) {
  if (!value)
    return std::nullopt;
  return *value * scale;
}

// Scores a file by whether one of its first lines is the header that `is_header` accepts.
template <class Test>
double score_of(std::string_view head, std::string& reason, const char* what, Test is_header) {
  for (const std::string_view line : first_lines(head, kHeadLines)) {
    if (is_header(line)) {
      reason = what;
      return 0.9;
    }
  }
  return 0;
}

// Indices of the columns of nsys; -1: absent.
struct NsysColumns {
  int total = -1;
  int calls = -1;
  int mean = -1;
  int median = -1;
  int longest = -1;
  int name = -1;
  double scale = 0;  // from the unit of the columns to seconds
  size_t size = 0;
  bool is_csv = false;
};

// Returns the columns of a kernel summary by Nsight Systems, or nothing when the line is no header.
std::optional<NsysColumns> nsys_columns(std::string_view line) {
  if (line.find("Total Time") == line.npos || line.find("Instances") == line.npos)
    return std::nullopt;
  NsysColumns columns;
  columns.is_csv = line.find(',') != line.npos;
  const Fields fields = columns.is_csv ? split_commas(line) : split_columns(line);
  columns.total = find_field(fields, {"Total Time"});
  columns.calls = find_field(fields, {"Instances"});
  columns.mean = find_field(fields, {"Avg", "Average"});
  columns.median = find_field(fields, {"Med", "Median"});
  columns.longest = find_field(fields, {"Max", "Maximum"});
  columns.name = find_field(fields, {"Name"});
  columns.size = fields.size();
  if (columns.total < 0 || columns.calls < 0 || columns.name < 0)
    return std::nullopt;
  const std::string& total = fields[size_t(columns.total)];
  const size_t open = total.find('(');
  columns.scale = open == total.npos ? 1e-9 : seconds_in(total.substr(open + 1, total.find(')') - open - 1));
  return columns.scale > 0 ? std::optional(columns) : std::nullopt;
}

class Nsys : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (const auto header = nsys_columns(line)) {
      columns_ = *header;
      return true;
    }
    if (columns_.size == 0)
      return false;
    // Numbers hold no blanks, and a wide one leaves a single blank between columns.
    Fields fields = columns_.is_csv ? split_commas(line) : split_blanks(line);
    for (size_t i = columns_.size; i < fields.size(); ++i)  // a name that contains blanks or commas
      fields[columns_.size - 1] += " " + fields[i];
    if (fields.size() < columns_.size || !number(fields, columns_.total)) {
      const bool is_underline = line.find("---") != line.npos;
      if (!is_underline)
        columns_ = {};
      return is_underline;
    }
    write_kernel(
        {fields[size_t(columns_.name)],
         number(fields, columns_.calls),
         scaled(number(fields, columns_.total), columns_.scale),
         scaled(number(fields, columns_.mean), columns_.scale),
         scaled(number(fields, columns_.median), columns_.scale),
         scaled(number(fields, columns_.longest), columns_.scale)},
        sink);
    return true;
  }

  NsysColumns columns_;
};

// Reads ncu in its long form (one line for each metric) or its wide form (one column for each metric, with a
// line of units).
class Ncu : public Reader {
 public:
  // Returns whether the line is the header of a table by Nsight Compute.
  static bool is_header(std::string_view line) {
    if (line.find("Kernel Name") == line.npos)
      return false;
    const Fields fields = split_commas(line);
    const bool has_metric =
        find_field(fields, {"Metric Value"}) >= 0 || find_field(fields, {"gpu__time_duration.sum"}) >= 0;
    return has_metric && find_field(fields, {"Kernel Name"}) >= 0;
  }

 private:
  bool row(std::string_view line, Sink&) override {
    const Fields fields = split_commas(line);
    if (is_header(line)) {
      name_ = find_field(fields, {"Kernel Name"});
      metric_ = find_field(fields, {"Metric Name"});
      unit_ = find_field(fields, {"Metric Unit"});
      value_ = find_field(fields, {"Metric Value"});
      duration_ = find_field(fields, {"gpu__time_duration.sum"});
      size_ = fields.size();
      return true;
    }
    if (size_ == 0 || fields.size() != size_)
      return false;
    if (value_ < 0)
      return wide(fields);
    const std::string& metric = metric_ < 0 ? fields[0] : fields[size_t(metric_)];
    const auto value = number(fields, value_);
    if (unit_ >= 0 && value && (metric == "Duration" || metric == "gpu__time_duration.sum"))
      add(fields, *value * seconds_in(fields[size_t(unit_)]));
    return true;
  }

  // Takes a row of the wide form, in which each metric has a column. The row after the header has the units.
  bool wide(const Fields& fields) {
    const auto value = number(fields, duration_);
    if (!value)
      scale_ = seconds_in(fields[size_t(duration_)]);
    else
      add(fields, *value * scale_);
    return true;
  }

  void add(const Fields& fields, double seconds) {
    if (seconds > 0)
      calls_.add(fields[size_t(name_)], seconds);
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    calls_.write(sink);
  }

  KernelCalls calls_;
  int name_ = -1;
  int metric_ = -1;
  int unit_ = -1;
  int value_ = -1;
  int duration_ = -1;
  size_t size_ = 0;
  double scale_ = 1e-9;
};

class Rocprof : public Reader {
 public:
  static bool is_header(std::string_view line) {
    if (line.find("TotalDurationNs") == line.npos && line.find("Kernel") == line.npos)
      return false;
    return is_summary(split_commas(line)) || is_trace(split_commas(line));
  }

 private:
  static bool is_summary(const Fields& fields) {
    return find_field(fields, {"Name"}) >= 0 && find_field(fields, {"Calls"}) >= 0 &&
           find_field(fields, {"TotalDurationNs"}) >= 0;
  }
  static bool is_trace(const Fields& fields) {
    return find_field(fields, {"Kernel_Name", "KernelName"}) >= 0 &&
           find_field(fields, {"Start_Timestamp", "BeginNs"}) >= 0 &&
           find_field(fields, {"End_Timestamp", "EndNs"}) >= 0;
  }

  bool row(std::string_view line, Sink& sink) override {
    const Fields fields = split_commas(line);
    if (size_ == 0) {
      if (!is_summary(fields) && !is_trace(fields))
        return false;
      header_ = fields;
      size_ = fields.size();
      return true;
    }
    if (fields.size() != size_)
      return false;
    return is_summary(header_) ? summary(fields, sink) : call(fields);
  }

  // Takes a row of a summary: total time and calls of a kernel.
  bool summary(const Fields& fields, Sink& sink) const {
    const auto total = number(fields, find_field(header_, {"TotalDurationNs"}));
    if (!total)
      return false;
    write_kernel(
        {fields[size_t(find_field(header_, {"Name"}))],
         number(fields, find_field(header_, {"Calls"})),
         *total * 1e-9,
         scaled(number(fields, find_field(header_, {"AverageNs"})), 1e-9),
         std::nullopt,
         scaled(number(fields, find_field(header_, {"MaxNs"})), 1e-9)},
        sink);
    return true;
  }

  // Takes a row of a trace: begin and end of one call.
  bool call(const Fields& fields) {
    const auto begin = number(fields, find_field(header_, {"Start_Timestamp", "BeginNs"}));
    const auto end = number(fields, find_field(header_, {"End_Timestamp", "EndNs"}));
    if (!begin || !end || *end < *begin)
      return false;
    calls_.add(fields[size_t(find_field(header_, {"Kernel_Name", "KernelName"}))], (*end - *begin) * 1e-9);
    return true;
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    calls_.write(sink);
  }

  KernelCalls calls_;
  Fields header_;
  size_t size_ = 0;
};

double score_nsys(std::string_view head, std::string& reason) {
  return score_of(head, reason, "a table with Total Time, Instances and Name", [](std::string_view line) {
    return nsys_columns(line).has_value();
  });
}
double score_ncu(std::string_view head, std::string& reason) {
  return score_of(head, reason, "a table with Kernel Name and metrics", Ncu::is_header);
}
double score_rocprof(std::string_view head, std::string& reason) {
  return score_of(head, reason, "a table of kernels with their times in ns", Rocprof::is_header);
}

}  // namespace

const Format kNsysKernels{"Nsight Systems kernel summary", "bench", {}, Shape::Table, make<Nsys>, score_nsys};
const Format kNcuKernels{"Nsight Compute table", "bench", {}, Shape::Table, make<Ncu>, score_ncu};
const Format kRocprofKernels{"rocprof table", "bench", {}, Shape::Table, make<Rocprof>, score_rocprof};

}  // namespace lento::desk
