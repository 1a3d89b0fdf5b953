// Builds the process groups of a job from its degrees of parallelism, and the program of operations that a
// rank runs in one step (rank_program.h). Ranks are numbered tensor first, then context, data and pipeline.
#include "fleet/simulate/rank_program.h"

#include <algorithm>

namespace lento::fleet {

using fleet::ranks::CollectiveOp;

RankProgram::RankProgram(const RankJob& job)
    : job_(job) {
  const size_t n = job_.ranks();
  std::vector<int> all(n);
  for (size_t r = 0; r < n; ++r)
    all[r] = int(r);
  world_ = add_group("default_pg", all);
  for (std::vector<int>* of : {&tp_, &cp_, &dp_, &ep_, &pp_})
    of->assign(n, -1);
  for (int p = 0; p < job_.pp; ++p) {
    make_tensor_and_context_groups(p);
    make_data_and_expert_groups(p);
  }
  make_pipeline_groups();
}

int RankProgram::add_group(const std::string& name, std::vector<int> ranks) {
  RankGroup g{name, std::to_string(groups_.size()), std::move(ranks)};
  for (const int r : g.ranks)
    g.key += "," + std::to_string(r);
  groups_.push_back(std::move(g));
  return int(groups_.size()) - 1;
}

void RankProgram::assign(std::vector<int>& of, const std::string& name, const std::vector<int>& ranks) {
  const int g = add_group(name, ranks);
  for (const int r : ranks)
    of[r] = g;
}

// Makes the tensor-parallel and context-parallel groups of a pipeline stage.
void RankProgram::make_tensor_and_context_groups(int p) {
  for (int d = 0; d < job_.dp; ++d) {
    for (int c = 0; c < job_.cp; ++c) {
      std::vector<int> ranks;
      for (int t = 0; t < job_.tp; ++t)
        ranks.push_back(rank_of(t, c, d, p));
      assign(tp_, "TENSOR_MODEL_PARALLEL_GROUP", ranks);
    }
    for (int t = 0; t < job_.tp; ++t) {
      std::vector<int> ranks;
      for (int c = 0; c < job_.cp; ++c)
        ranks.push_back(rank_of(t, c, d, p));
      assign(cp_, "CONTEXT_PARALLEL_GROUP", ranks);
    }
  }
}

// Makes the data-parallel and expert-parallel groups of a pipeline stage.
void RankProgram::make_data_and_expert_groups(int p) {
  for (int t = 0; t < job_.tp; ++t) {
    std::vector<int> ranks;
    for (int i = 0; i < job_.cp * job_.dp; ++i)
      ranks.push_back(rank_of(t, i % job_.cp, i / job_.cp, p));
    assign(dp_, "DATA_PARALLEL_GROUP_WITH_CP", ranks);
    for (auto from = ranks.begin(); from < ranks.end(); from += job_.ep)
      assign(ep_, "EXPERT_MODEL_PARALLEL_GROUP", {from, from + job_.ep});
  }
}

// Makes the pipeline-parallel groups.
void RankProgram::make_pipeline_groups() {
  const int a_stage = job_.ranks() / job_.pp;
  for (int r = 0; r < a_stage; ++r) {
    std::vector<int> ranks;
    for (int p = 0; p < job_.pp; ++p)
      ranks.push_back(r + p * a_stage);
    assign(pp_, "PIPELINE_MODEL_PARALLEL_GROUP", ranks);
  }
}

std::set<std::pair<int, int>> RankProgram::channels(int host, int rank, bool inside) const {
  std::set<std::pair<int, int>> out;
  const auto add = [&](int id, int pair, const std::vector<int>& ranks) {
    std::set<int> hosts;
    for (const int r : ranks)
      hosts.insert(host_of(r));
    if (ranks.size() < 2 || (hosts.size() == 1) != inside)
      return;
    const bool there = rank >= 0 ? std::ranges::find(ranks, rank) != ranks.end() : hosts.contains(host);
    if (there)
      out.insert({id, pair});
  };
  for (size_t g = 0; g < groups_.size(); ++g) {
    const std::vector<int>& ranks = groups_[g].ranks;
    const bool pairs = groups_[g].name.starts_with("PIPELINE");
    if (!pairs && used(int(g)))
      add(int(g), -1, ranks);
    for (size_t i = 0; pairs && i + 1 < ranks.size(); ++i)
      add(int(g), int(i), {ranks[i], ranks[i + 1]});
  }
  return out;
}

bool RankProgram::used(int group) const {
  const std::string& name = groups_[group].name;
  if (name.starts_with("default"))
    return false;  // its operations of 8 bytes cost only latency
  return groups_[group].ranks.size() > 1;
}

std::vector<RankOp> RankProgram::operations(int rank, int step) const {
  std::vector<RankOp> ops;
  const int per_stage = job_.ranks() / job_.pp;
  const int stage = rank / per_stage;
  const int next = stage + 1 < job_.pp ? rank + per_stage : -1;
  const int previous = stage > 0 ? rank - per_stage : -1;
  double pending = 0;
  const auto mib = [](double size) {
    return int64_t(size * 1048576);
  };
  const auto add = [&](CollectiveOp op, int group, int64_t bytes, int peer = -1) {
    if (group < 0 || groups_[group].ranks.size() < 2)
      return;
    RankOp o;
    o.op = op;
    o.group = group;
    o.bytes = bytes;
    o.peer = peer;
    o.compute = pending;
    o.first = ops.empty();
    o.step = step;
    pending = 0;
    ops.push_back(o);
  };
  for (int pass = 0; pass < 2; ++pass) {
    const int from = pass == 0 ? previous : next;
    const int to = pass == 0 ? next : previous;
    for (int m = 0; m < job_.micro_batches; ++m) {
      if (from >= 0)
        add(CollectiveOp::Recv, pp_[rank], mib(job_.pp_mib), from);
      pending += job_.compute_ms * (pass + 1) / 2;
      if (pass == 0)
        add(CollectiveOp::AllGather, cp_[rank], mib(job_.cp_mib));
      pending += job_.compute_ms * (pass + 1) / 2;
      add(CollectiveOp::AllReduce, tp_[rank], mib(job_.tp_mib));
      if (job_.ep > 1)
        add(CollectiveOp::AllToAll, ep_[rank], mib(job_.ep_mib));
      if (to >= 0)
        add(CollectiveOp::Send, pp_[rank], mib(job_.pp_mib), to);
    }
  }
  add(CollectiveOp::ReduceScatter, dp_[rank], mib(job_.dp_mib));
  add(CollectiveOp::AllGather, dp_[rank], mib(job_.dp_mib));
  add(CollectiveOp::AllReduce, world_, 8);
  return ops;
}

}  // namespace lento::fleet
