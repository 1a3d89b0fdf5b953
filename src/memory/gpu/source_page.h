// Bounds the gain of a fix from a source page of Nsight Compute, which counts the instructions and requests
// of each place and states no time.
//
// Schedulers of a multiprocessor issue four instructions of warps a cycle, its pipe to shared memory serves
// one wavefront and the second cache sends it 64 bytes (NVIDIA's tuning guides, Volta to Hopper). A kernel
// whose issue takes longer than its requests gains little from fewer requests.
#pragma once

#include <map>
#include <string>

#include "memory/gpu/kernel_memory.h"

namespace lento::memory {

// Sums the work of a kernel's source lines, in cycles of a multiprocessor's units.
class PageWork {
 public:
  void add(const KernelMemory& place);

  bool counts_instructions() const {
    return issue_ > 0;
  }
  // Returns the largest speed-up from removing the excess, whether issue and requests overlap or not.
  double most_gain(bool is_shared) const;
  // Returns whether the gain falls below `least` when instructions with one base address, such as the
  // members of a struct, share their sectors in the first cache.
  bool may_share_sectors(double least) const;

 private:
  struct Requested {
    double served = 0;
    double excess = 0;
  };
  // The sectors that instructions with one base register request from global memory.
  struct Base {
    double most = 0;  // largest of one instruction
    double ideal = 0;
  };
  double gain(const Requested& unit) const;

  double issue_ = 0;
  Requested shared_;
  Requested global_;
  std::map<std::string, Base> bases_;
};

}  // namespace lento::memory
