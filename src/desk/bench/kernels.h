// Writes one run record for each kernel of a profile, from any profiler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

struct KernelTimes {
  std::string name;
  std::optional<double> calls;
  std::optional<double> total_s;
  std::optional<double> mean_s;
  std::optional<double> median_s;
  std::optional<double> longest_s;
};

// Writes a Run of the kind "kernel summary". Its fact "collective" is "yes" for kernels of NCCL and RCCL.
void write_kernel(const KernelTimes& times, Sink& sink);

// Collects the times of single calls for at most kKernels kernels, and ignores further kernels. When a
// kernel has kCalls stored calls, every second one is dropped, and from then on only every second new call
// is stored.
class KernelCalls {
 public:
  static constexpr size_t kKernels = size_t{1} << 13;
  static constexpr size_t kCalls = size_t{1} << 13;
  void add(const std::string& name, double seconds);
  void write(Sink& sink) const;

 private:
  struct Calls {
    uint64_t seen = 0;
    uint64_t stride = 1;
    double total = 0;
    double longest = 0;
    std::vector<double> kept;
  };
  std::map<std::string, Calls> kernels_;
};

}  // namespace lento::desk
