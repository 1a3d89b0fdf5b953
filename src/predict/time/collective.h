// Collectives from the link graph alone.
//
// Inside a node the bandwidth comes from directed rings that share no lane; without any ring (five devices of
// a DGX-1), from paths through relays; on a mesh, or between members that stand apart, from routed rings that
// share links with all groups like them (fabric.h). Between nodes rings are as wide as a node's outside
// links.
#pragma once

#include <string>
#include <vector>

#include "predict/time/gemm.h"

namespace lento::predict {

enum class CollectiveOp {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  SendReceive
};
std::string_view name(CollectiveOp op);

struct Collective {
  CollectiveOp op = CollectiveOp::AllReduce;
  int devices = 2;
  double bytes =
      0;  // all-reduce, broadcast: the buffer; all-gather, reduce-scatter, all-to-all: the larger side
  int stride = 1;  // distance of neighbours: 8 means one member a node of eight

  bool operator==(const Collective&) const = default;
};

struct CollectiveTime {
  double seconds = 0;
  double bandwidth_s = 0;
  double latency_s = 0;
  double bus_Bps = 0;     // bytes * 2(n-1)/n / seconds for all-reduce, (n-1)/n otherwise
  std::string algorithm;  // "4 rings", "tree through relays", "switch", "hierarchical"
};

CollectiveTime predict_collective(const System& system, const Collective& collective);

// Directed rings over devices 0..count-1 such that no lane is used twice in one direction. The largest set
// found by exact search for up to eight devices. Each ring lists the devices in order.
std::vector<std::vector<int>> disjoint_rings(const NodeLinks& links, int count);

}  // namespace lento::predict
