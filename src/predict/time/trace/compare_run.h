// A measured run against the prediction: what is slower than it should be. A fleet that is slow in all its
// parts is invisible to a comparison of peers, not to this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "finding/finding.h"
#include "predict/time/calibrate.h"

namespace lento::predict {

// Kernels of a measured run: a table of questions with their times (docs/formats/questions.md), or a Chrome
// trace as the PyTorch profiler writes it with shapes recorded. In a trace, device kernels are joined to the
// matrix product that launched them (aten::mm, addmm, bmm, linear) and steps are the spans "ProfilerStep#n".
// Traces of 2022 spell categories and keys otherwise ("Kernel", "Operator", "Input dims"); both are read.
struct DeviceKernel {
  std::string name;
  uint64_t count = 0;
  double seconds = 0;  // of all calls
};
struct MeasuredRun {
  std::vector<Measurement> kernels;
  std::vector<double> steps_s;
  std::vector<DeviceKernel> device;  // kernels whose work is not known, the longest first
  std::string device_name = {};      // as the trace tells it; empty: not said
  // Of one device, from the first kernel to the last; 0: no trace.
  double span_s = 0;
  double busy_s = 0;
  double kernels_s = 0;                // of all kernels together
  double exposed_communication_s = 0;  // while nothing but communication runs
};
MeasuredRun read_run(const std::string& path, base::ReadReport& report);
// Tables of rocprof and rocprofv3 (docs/formats/rocprof.md). Throws Error when the columns are another
// tool's.
bool is_rocprof(const std::string& path);
MeasuredRun read_rocprof(const std::string& path, base::ReadReport& report);
// Events that ask for a product but do not say which are skipped and counted. Throws Error when the text is
// no JSON or holds no events.
MeasuredRun parse_profiler_trace(const std::string& text, const std::string& file, base::ReadReport& report);

// Findings are kernels whose time lies beyond the prediction and its hold-out error, the most lost time
// first, and the whole when its median is slower. `step`: the workload that each step of the run does.
finding::Diagnosis
compare_run(const System& system, const MeasuredRun& run, const std::optional<Question>& step);

}  // namespace lento::predict
