// Finds the links that the traffic of a parallel group takes inside a node or package of directly linked
// devices, and the number of transfers that share the busiest link.
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

// A group whose members are `stride` ranks apart. All groups of this shape in the node communicate at the
// same time.
struct FabricGroup {
  int devices = 2;
  int stride = 1;
  Pattern pattern = Pattern::Ring;
};

struct LinkLoad {
  double most = 0;  // transfers that share one direction of the busiest lane
  int hops = 0;     // of the longest route
};

// True for linked devices, whose transfers may share links; false for a switch.
bool has_fabric(const NodeLinks& links);

// Routes the transfers of all groups. Cost: devices * hops, times the number of links for shortest paths.
// Throws base::Error when two members are not connected.
LinkLoad link_load(const NodeLinks& links, int node_devices, const FabricGroup& group);

}  // namespace lento::predict
