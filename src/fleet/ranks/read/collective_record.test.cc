// Names of collectives as the libraries spell them.
#include "fleet/ranks/read/collective_record.h"

#include <gtest/gtest.h>

#include <set>

namespace lento::fleet::ranks {
namespace {

constexpr CollectiveOp kAll[] = {
    CollectiveOp::AllReduce,
    CollectiveOp::AllGather,
    CollectiveOp::ReduceScatter,
    CollectiveOp::AllToAll,
    CollectiveOp::Broadcast,
    CollectiveOp::Reduce,
    CollectiveOp::Gather,
    CollectiveOp::Scatter,
    CollectiveOp::Barrier,
    CollectiveOp::Send,
    CollectiveOp::Recv,
    CollectiveOp::Other};

TEST(CollectiveOp, NamesAreDistinctAndReadBack) {
  std::set<std::string> names;
  for (const CollectiveOp op : kAll) {
    EXPECT_TRUE(names.insert(name(op)).second) << name(op);
    if (op == CollectiveOp::Recv)
      continue;  // "receive" is our word, theirs is "recv"
    EXPECT_EQ(collective_op(name(op)), op) << name(op);
  }
}

TEST(CollectiveOp, SpellingsOfTheLibraries) {
  const std::pair<const char*, CollectiveOp> spelled[] = {
      {"_allgather_base", CollectiveOp::AllGather},
      {"nccl:all_gather", CollectiveOp::AllGather},
      {"ncclAllGather", CollectiveOp::AllGather},
      {"_reduce_scatter_base", CollectiveOp::ReduceScatter},
      {"ReduceScatter", CollectiveOp::ReduceScatter},
      {"reduce", CollectiveOp::Reduce},
      {"allreduce_coalesced", CollectiveOp::AllReduce},
      {"ALL_REDUCE", CollectiveOp::AllReduce},
      {"nccl:all_to_all", CollectiveOp::AllToAll},
      {"all_to_allv", CollectiveOp::AllToAll},
      {"AlltoAll", CollectiveOp::AllToAll},
      {"nccl:send 0->3", CollectiveOp::Send},
      {"Recv", CollectiveOp::Recv},
      {"barrier", CollectiveOp::Barrier},
      {"wait", CollectiveOp::Other},
      {"", CollectiveOp::Other},
      {"nccl", CollectiveOp::Other}};
  for (const auto& [text, op] : spelled)
    EXPECT_EQ(collective_op(text), op) << text;
}

// Who may leave before others have come: roots and pairs.
TEST(CollectiveOp, SymmetricOnesHaveNoRootAndNoPeer) {
  int symmetric = 0;
  for (const CollectiveOp op : kAll) {
    symmetric += is_symmetric(op);
    EXPECT_FALSE(is_symmetric(op) && is_p2p(op)) << name(op);
  }
  EXPECT_EQ(symmetric, 5);
  for (const CollectiveOp op :
       {CollectiveOp::Broadcast, CollectiveOp::Reduce, CollectiveOp::Gather, CollectiveOp::Scatter})
    EXPECT_FALSE(is_symmetric(op)) << name(op);
}

}  // namespace
}  // namespace lento::fleet::ranks
