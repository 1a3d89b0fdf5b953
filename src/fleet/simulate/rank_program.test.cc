// Programs of ranks: groups as parallelism cuts them, and programs that fit together without waiting forever.
#include "fleet/simulate/rank_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/rng.h"

namespace lento::fleet {
namespace {

using fleet::ranks::CollectiveOp;

RankJob drawn(base::Rng& rng) {
  RankJob job;
  const auto pick = [&](std::initializer_list<int> of) {
    return of.begin()[rng.below(of.size())];
  };
  do {
    job.tp = pick({1, 2, 4});
    job.cp = pick({1, 2});
    job.dp = pick({1, 2, 4});
    job.pp = pick({1, 2, 3, 4});
    job.ep = pick({1, 2, 4});
  } while (job.cp * job.dp % job.ep != 0);
  job.gpus_a_host = pick({2, 4});
  job.micro_batches = pick({1, 3});
  return job;
}

std::map<std::string, std::vector<std::vector<int>>> by_name(const RankProgram& program) {
  std::map<std::string, std::vector<std::vector<int>>> out;
  for (const RankGroup& g : program.groups())
    out[g.name].push_back(g.ranks);
  return out;
}

TEST(RankProgram, GroupsOfEachKindHoldEveryRankOnce) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    base::Rng rng(seed, "rank programs");
    const RankJob job = drawn(rng);
    const RankProgram program(job);
    const std::map<std::string, size_t> sizes = {
        {"default_pg", size_t(job.ranks())},
        {"TENSOR_MODEL_PARALLEL_GROUP", size_t(job.tp)},
        {"CONTEXT_PARALLEL_GROUP", size_t(job.cp)},
        {"DATA_PARALLEL_GROUP_WITH_CP", size_t(job.cp * job.dp)},
        {"EXPERT_MODEL_PARALLEL_GROUP", size_t(job.ep)},
        {"PIPELINE_MODEL_PARALLEL_GROUP", size_t(job.pp)}};
    const auto groups = by_name(program);
    ASSERT_EQ(groups.size(), sizes.size());
    for (const auto& [name, all] : groups) {
      std::vector<int> ranks;
      for (const auto& one : all) {
        EXPECT_EQ(one.size(), sizes.at(name)) << name;
        ranks.insert(ranks.end(), one.begin(), one.end());
      }
      std::ranges::sort(ranks);
      ASSERT_EQ(ranks.size(), size_t(job.ranks())) << name;
      for (int r = 0; r < job.ranks(); ++r)
        EXPECT_EQ(ranks[size_t(r)], r) << name;
    }
  }
}

TEST(RankProgram, GroupsOfEightRanksAreAsMegatronNumbersThem) {
  RankJob job;
  job.tp = job.dp = job.pp = 2;
  const auto groups = by_name(RankProgram(job));
  using Ranks = std::vector<std::vector<int>>;
  EXPECT_EQ(groups.at("TENSOR_MODEL_PARALLEL_GROUP"), (Ranks{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups.at("DATA_PARALLEL_GROUP_WITH_CP"), (Ranks{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups.at("PIPELINE_MODEL_PARALLEL_GROUP"), (Ranks{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// Every member of a group asks for the same collectives in the same order; else the job would hang.
TEST(RankProgram, MembersAskForTheSameInOneOrder) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "rank order");
    const RankJob job = drawn(rng);
    const RankProgram program(job);
    std::map<int, std::map<int, std::vector<std::pair<CollectiveOp, int64_t>>>> asked;
    for (int r = 0; r < job.ranks(); ++r) {
      for (const RankOp& op : program.operations(r, 3)) {
        EXPECT_EQ(op.step, 3);
        EXPECT_TRUE(std::ranges::count(program.groups()[size_t(op.group)].ranks, r));
        if (op.peer < 0)
          asked[op.group][r].emplace_back(op.op, op.bytes);
      }
    }
    for (const auto& [group, ranks] : asked) {
      ASSERT_EQ(ranks.size(), program.groups()[size_t(group)].ranks.size());
      for (const auto& [rank, sequence] : ranks)
        EXPECT_EQ(sequence, ranks.begin()->second) << program.groups()[size_t(group)].name;
    }
  }
}

// Plays all programs: a rank goes on when all of its group are there, a receiver when its message is.
TEST(RankProgram, AllProgramsRunToTheirEnds) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "rank play");
    const RankJob job = drawn(rng);
    const RankProgram program(job);
    const auto n = size_t(job.ranks());
    std::vector<std::deque<RankOp>> left(n);
    for (size_t r = 0; r < n; ++r) {
      const auto ops = program.operations(int(r), 0);
      left[r].assign(ops.begin(), ops.end());
    }
    std::map<std::pair<int, int>, int64_t> sent;
    const auto ready = [&](size_t r) {
      const RankOp& op = left[r].front();
      if (op.op == CollectiveOp::Send)
        return true;
      if (op.op == CollectiveOp::Recv)
        return sent[{op.peer, int(r)}] >= op.bytes;
      return std::ranges::all_of(program.groups()[size_t(op.group)].ranks, [&](int other) {
        return !left[size_t(other)].empty() && left[size_t(other)].front().group == op.group &&
               left[size_t(other)].front().op == op.op;
      });
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t r = 0; r < n; ++r) {
        if (left[r].empty() || !ready(r))
          continue;
        const RankOp op = left[r].front();
        moved = true;
        if (op.op == CollectiveOp::Send || op.op == CollectiveOp::Recv) {
          sent[op.op == CollectiveOp::Send ? std::pair{int(r), op.peer} : std::pair{op.peer, int(r)}] +=
              op.op == CollectiveOp::Send ? op.bytes : -op.bytes;
          left[r].pop_front();
          continue;
        }
        for (const int other : program.groups()[size_t(op.group)].ranks)
          left[size_t(other)].pop_front();
      }
    }
    for (size_t r = 0; r < n; ++r)
      EXPECT_TRUE(left[r].empty()) << "seed " << seed << " rank " << r;
    for (const auto& [pair, bytes] : sent)
      EXPECT_EQ(bytes, 0) << pair.first << " " << pair.second;
  }
}

// Forward once, backward twice: three times a micro-batch's time on every rank, whatever the ways.
TEST(RankProgram, EveryRankComputesThreeTimesItsMicroBatches) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    base::Rng rng(seed, "rank compute");
    const RankJob job = drawn(rng);
    const RankProgram program(job);
    if (job.ranks() == 1)
      continue;  // nothing is asked for
    for (int r = 0; r < job.ranks(); ++r) {
      double compute = 0;
      int firsts = 0;
      for (const RankOp& op : program.operations(r, 0)) {
        compute += op.compute;
        firsts += op.first;
      }
      EXPECT_NEAR(compute, 3 * job.micro_batches * job.compute_ms, 1e-9);
      EXPECT_EQ(firsts, 1);
    }
  }
}

TEST(RankProgram, ChannelsAreInsideOrBetweenHosts) {
  RankJob job;
  job.tp = job.dp = job.pp = job.gpus_a_host = 2;
  const RankProgram program(job);
  for (int host = 0; host < job.hosts(); ++host) {
    const auto inside = program.channels(host, -1, true);
    const auto between = program.channels(host, -1, false);
    ASSERT_EQ(inside.size(), 1U);  // its tensor group
    EXPECT_EQ(program.groups()[size_t(inside.begin()->first)].name, "TENSOR_MODEL_PARALLEL_GROUP");
    EXPECT_EQ(between.size(), 4U);  // of two ranks, a data and a pipeline group each
    for (const auto& channel : between)
      EXPECT_FALSE(inside.contains(channel));
    // A host's channels are those of its ranks.
    std::set<std::pair<int, int>> ranks;
    for (int r = 0; r < job.ranks(); ++r) {
      if (program.host_of(r) == host)
        ranks.merge(program.channels(host, r, false));
    }
    EXPECT_EQ(ranks, between);
  }
}

}  // namespace
}  // namespace lento::fleet
