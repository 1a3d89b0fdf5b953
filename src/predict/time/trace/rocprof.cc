// Reads tables of AMD's profilers (docs/formats/rocprof.md). Times are nanoseconds of the host's clock.
//
//   rocprofv3 --marker-trace   Function, Start_Timestamp, End_Timestamp     ranges that the program named
//   rocprofv3 --kernel-trace   Kernel_Name, Start_Timestamp, End_Timestamp  kernels, without their sizes
//   rocprof --timestamp on     KernelName, BeginNs, EndNs                   kernels, without their sizes
//
// A range is a step when its name holds the word "step" or "iteration", such as ProfilerStep#7.
#include <algorithm>
#include <cctype>
#include <map>

#include "base/scan/csv.h"
#include "predict/time/trace/compare_run.h"

namespace lento::predict {
namespace {

constexpr double kNanosecond = 1e-9;

struct Columns {
  int name = -1;
  int begin = -1;
  int end = -1;
  bool ranges = false;
};

// Returns the columns of name, begin and end, which differ between versions of the profiler.
Columns columns_of(const base::CsvReader& table) {
  const auto all = [&](const char* name, const char* begin, const char* end, bool ranges) {
    return Columns{table.find(name), table.find(begin), table.find(end), ranges};
  };
  const auto whole = [](const Columns& c) {
    return c.name >= 0 && c.begin >= 0 && c.end >= 0;
  };
  for (const Columns& known :
       {all("Kernel_Name", "Start_Timestamp", "End_Timestamp", false),
        all("Function", "Start_Timestamp", "End_Timestamp", true),
        all("KernelName", "BeginNs", "EndNs", false)}) {
    if (whole(known))
      return known;
  }
  return {};
}

bool is_step(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return char(std::tolower(c));
  });
  return name.find("step") != std::string::npos || name.find("iteration") != std::string::npos;
}

void add_kernels(const std::map<std::string, DeviceKernel>& kernels, MeasuredRun& run) {
  for (const auto& [name, kernel] : kernels)
    run.device.push_back(kernel);
  std::ranges::stable_sort(run.device, [](const DeviceKernel& a, const DeviceKernel& b) {
    return a.seconds > b.seconds;
  });
}

}  // namespace

bool is_rocprof(const std::string& path) {
  base::ReadReport unused;
  return columns_of(base::CsvReader(path, unused)).name >= 0;
}

MeasuredRun read_rocprof(const std::string& path, base::ReadReport& report) {
  base::CsvReader table(path, report);
  const Columns columns = columns_of(table);
  if (columns.name < 0)
    throw base::Error({path, 1}, "the columns are not those of rocprof or rocprofv3");
  MeasuredRun run;
  std::map<std::string, DeviceKernel> kernels;
  while (table.next()) {
    double seconds = 0;
    try {
      seconds = (table.number(columns.end) - table.number(columns.begin)) * kNanosecond;
    } catch (const base::Error&) {
      report.skip(table.where(columns.begin), "a time stamp is no number");
      continue;
    }
    if (seconds <= 0) {
      report.skip(table.where(columns.end), "ends before it begins");
      continue;
    }
    const std::string& name = table.text(columns.name);
    if (columns.ranges) {
      if (is_step(name))
        run.steps_s.push_back(seconds);
      continue;
    }
    DeviceKernel& kernel = kernels[name];
    kernel.name = name;
    kernel.seconds += seconds;
    ++kernel.count;
  }
  add_kernels(kernels, run);
  return run;
}

}  // namespace lento::predict
