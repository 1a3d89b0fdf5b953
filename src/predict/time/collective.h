// Predicts the time of collectives from the graph of links alone.
//
// Inside a node the bandwidth comes from directed rings that share no lane. A graph without any ring (five
// devices of a DGX-1) uses paths through relays. In a mesh, or between members that are not neighbours, the
// rings are routed and share links with the groups of the same shape (fabric.h). Between nodes a ring gets
// the bandwidth of a node's outside links.
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
  int stride = 1;  // rank distance of neighbours; 8: one member per node of eight devices

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

// Returns directed rings over devices 0..count-1 of which no two use a lane in the same direction. The set is
// the largest for up to eight devices, by exact search. Each ring lists the devices in order.
std::vector<std::vector<int>> disjoint_rings(const NodeLinks& links, int count);

}  // namespace lento::predict
