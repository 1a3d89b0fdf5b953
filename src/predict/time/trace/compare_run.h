// Compares a measured run with its prediction and reports what is slower than predicted. A fleet in which
// every machine is slow by the same factor has no outlier among its peers, and this comparison still finds
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "predict/time/calibrate.h"

namespace lento::predict {

// All calls of a kernel whose sizes a trace does not record.
struct DeviceKernel {
  std::string name;
  uint64_t count = 0;
  double seconds = 0;  // sum over all calls
};
struct MeasuredRun {
  std::vector<Measurement> kernels;
  std::vector<double> steps_s;
  std::vector<DeviceKernel> device;  // kernels of unknown sizes, longest first
  std::string device_name = {};      // as the trace, or all rows of the table, name it
  // Times of one device, from its first kernel to its last. 0 without a trace.
  double span_s = 0;
  double busy_s = 0;
  double kernels_s = 0;                // summed over all kernels
  double exposed_communication_s = 0;  // time in which only communication runs
};
// Reads a measured run: a table of questions with their times (docs/formats/questions.md), or a Chrome trace
// that the PyTorch profiler wrote with shapes recorded. In a trace, device kernels are joined to the matrix
// product that launched them (aten::mm, addmm, bmm, linear) and steps are the spans "ProfilerStep#n". Traces
// of 2022 spell categories and keys differently ("Kernel", "Operator", "Input dims"). Both spellings are
// read.
MeasuredRun read_run(const std::string& path, base::ReadReport& report);
// Tables of rocprof and rocprofv3 (docs/formats/rocprof.md). read_rocprof throws Error when the columns
// belong to another tool.
bool is_rocprof(const std::string& path);
MeasuredRun read_rocprof(const std::string& path, base::ReadReport& report);
// Parses a trace. Product events without shapes are skipped and counted. Throws Error when the text is not
// JSON or holds no events.
MeasuredRun parse_profiler_trace(const std::string& text, const std::string& file, base::ReadReport& report);

// Reports kernels whose time exceeds the prediction by more than its hold-out error, the most lost time
// first, and the whole run when its median step is slower. `step` is the workload of each step of the run.
finding::Diagnosis
compare_run(const System& system, const MeasuredRun& run, const std::optional<Question>& step);

}  // namespace lento::predict
