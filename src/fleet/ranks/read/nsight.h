// Reads the GPU and NCCL records of an Nsight Systems profile exported to SQLite, docs/formats/nsight.md.
//
//   nsys export --type sqlite -> read_nsight -> NsightTrace -> nsight_collectives -> fleet/ranks
//                                                           -> kernels, ranges   -> other users of times
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

struct NsightKernel {
  int64_t begin_ns = 0;  // since the session began, as all times here
  int64_t end_ns = 0;
  int64_t process = 0;
  int64_t launched_ns = -1;  // when the CPU launched it; -1: not recorded
  int64_t thread = -1;       // the thread that launched it
  int32_t device = 0;
  int32_t stream = 0;
  int32_t name = -1;  // index into NsightTrace::names
};

// A push/pop or start/end range of NVTX. NCCL's own ranges carry the call and its size.
struct NsightRange {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t thread = 0;
  int32_t text = -1;          // index into NsightTrace::names
  uint64_t communicator = 0;  // 0: not a call of NCCL, or one that does not record it
  int64_t bytes = -1;
  int32_t peer = -1;
};

// A member of a communicator, from the call that created it.
struct NsightMember {
  uint64_t communicator = 0;
  int64_t process = 0;
  int32_t ranks = 0;
  int32_t rank = -1;
  int32_t device = -1;
};

struct NsightTrace {
  std::string file;
  std::string host;      // empty: not recorded
  int64_t epoch_ns = 0;  // Unix time at which the session began; 0: not recorded
  std::vector<std::string> names;
  std::vector<NsightKernel> kernels;  // by begin
  std::vector<NsightRange> ranges;    // by begin
  std::vector<NsightMember> members;

  const std::string& name(int32_t index) const;  // "" for -1
};

// Returns the process that a serialised process or thread belongs to.
inline int64_t nsight_process(int64_t global_id) {
  return global_id / 0x1000000 % 0x1000000;
}

// Reads a profile. Throws base::Error when the file is no database or holds no kernels. Tables and columns
// that the profile's version does not have count as empty.
NsightTrace read_nsight(const std::string& path, base::ReadReport& report);

// Returns one trace per process and GPU. A kernel of NCCL gets the calls that its thread made before it was
// launched and that no earlier kernel took. Without such calls, or in a communicator whose creation was not
// recorded, it is counted as unlabelled. Steps are ranges called "iteration 7", "step 7", "ProfilerStep#7".
std::vector<RankTrace> nsight_collectives(const NsightTrace& trace);

}  // namespace lento::fleet::ranks
