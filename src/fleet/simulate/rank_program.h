// The ranks of a simulated job: their groups by parallelism, and the program that each runs in a step.
//
//   step = micro-batches forward [recv, compute, CP all-gather, TP all-reduce, EP all-to-all, send]
//          micro-batches backward [recv, compute, TP all-reduce, EP all-to-all, send]
//          DP reduce-scatter, DP all-gather, all-reduce of 8 B over all
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/simulate/rank_job.h"

namespace lento::fleet {

struct RankGroup {
  std::string name;
  std::string key;
  std::vector<int> ranks;
};

struct RankOp {
  fleet::ranks::CollectiveOp op = fleet::ranks::CollectiveOp::AllReduce;
  int group = 0;
  int peer = -1;  // for a send or receive: global rank of the other end
  int64_t bytes = 0;
  double compute = 0;  // ms of computing kernels before the operation
  bool first = false;  // first operation of a step
  int step = 0;
};

class RankProgram {
 public:
  // The job must outlive the program.
  explicit RankProgram(const RankJob& job);

  const std::vector<RankGroup>& groups() const {
    return groups_;
  }
  int host_of(int rank) const {
    return rank / job_.gpus_a_host;
  }
  // Returns the operations of one rank in one step.
  std::vector<RankOp> operations(int rank, int step) const;
  // Returns the groups and pairs of ranks (a pair of -1: the whole group) that communicate inside hosts, or
  // between hosts, and that a rank takes part in, or a host when `rank` is -1. Network faults at places with
  // equal results look the same.
  std::set<std::pair<int, int>> channels(int host, int rank, bool inside) const;

 private:
  int rank_of(int t, int c, int d, int p) const {
    return t + job_.tp * (c + job_.cp * (d + job_.dp * p));
  }
  int add_group(const std::string& name, std::vector<int> ranks);
  void assign(std::vector<int>& of, const std::string& name, const std::vector<int>& ranks);
  void make_tensor_and_context_groups(int p);
  void make_data_and_expert_groups(int p);
  void make_pipeline_groups();
  bool used(int group) const;

  const RankJob& job_;
  std::vector<RankGroup> groups_;
  int world_ = -1;
  // The index into groups_ of each rank's group, one vector for each kind of parallelism.
  std::vector<int> tp_;
  std::vector<int> cp_;
  std::vector<int> dp_;
  std::vector<int> ep_;
  std::vector<int> pp_;
};

}  // namespace lento::fleet
