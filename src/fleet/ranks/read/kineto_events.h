// Reads from a Kineto trace what its collectives consist of: communication kernels, the calls and launches
// that belong to them, the process groups, computing, and the bounds of steps. Times are relative to the
// trace's base time.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// The arguments of a kernel or of a communication call.
struct KinetoLabel {
  CollectiveOp op = CollectiveOp::Other;
  int32_t group = -1;
  int32_t peer_rank = -1;
  int64_t bytes = 0;
  int64_t sequence = -1;
};

struct KinetoGroup {
  std::string name;
  std::string description;
  int size = 0;
  std::vector<int32_t> ranks;
};

struct KinetoKernel {
  CollectiveRecord record;
  KinetoLabel label;
  int64_t external = -1;
  int64_t correlation = -1;
};

struct KinetoEvents {
  RankTrace trace;  // without records, whose kernels are apart
  int64_t base_ns = 0;
  std::vector<KinetoKernel> kernels;
  std::vector<KinetoGroup> groups;
  std::vector<StepMark> gpu_steps;
  std::vector<std::pair<int64_t, int64_t>> launches;  // correlation, time
  std::unordered_map<int64_t, KinetoLabel> calls;     // by external id
  // The ranks of the process groups that the head lists.
  std::unordered_map<std::string, std::vector<int32_t>> config;
};

// Throws base::Error unless the trace is whole or has an event before it ends.
KinetoEvents read_kineto_events(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
