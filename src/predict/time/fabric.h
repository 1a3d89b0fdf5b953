// Which links the traffic of a parallel group takes inside a node or package whose devices are linked
// directly, and how many transfers share the busiest of them.
//
// Ranks fill a mesh or torus snake-wise, so that consecutive ranks are neighbours, or row by row; with
// explicit links rank i is device i. Routes: dimension by dimension (X first; on a torus the shorter way
// round), or the shortest path that is loaded least.
#pragma once

#include "predict/hardware/system.h"

namespace lento::predict {

enum class Pattern {
  Ring,     // every member sends to both neighbours, the last and the first are neighbours
  Line,     // every member but the last sends to the next
  AllPairs  // every member sends to every other
};

// Members stand `stride` ranks apart; all groups of that shape that the node holds communicate at once.
struct FabricGroup {
  int devices = 2;
  int stride = 1;
  Pattern pattern = Pattern::Ring;
};

struct LinkLoad {
  double most = 0;  // transfers over one direction of the busiest lane
  int hops = 0;     // of the longest route
};

bool has_fabric(const NodeLinks& links);  // links that transfers may share, rather than a switch

// Cost: devices * hops, times the links for the shortest routes. Throws base::Error when two members are not
// connected.
LinkLoad link_load(const NodeLinks& links, int node_devices, const FabricGroup& group);

}  // namespace lento::predict
