// Builds the multi-level communication graph of the SLOTH paper (III-D3) from an expanded mapping. Each
// segment that runs separately is a level, with a node for each working core and an edge for each directed
// link with its traffic. A DRAM node between two levels is shared by the writers of one and the readers of
// the next.
#pragma once

#include <vector>

#include "chip/map/program.h"
#include "chip/paper/failrank.h"

namespace lento::chip {

struct CommunicationGraph {
  struct Node {
    int level = 0;
    int core = -1;  // -1: the DRAM node above the level
  };
  struct Edge {
    int level = 0;
    int link = -1;  // -1: an edge to or from DRAM
  };
  RankGraph rank;  // with traffic, all scores 0
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // in the order of rank.edges
  int levels = 0;

  size_t dram(int level) const {
    return size_t(level);
  }                                     // node above `level`; levels: below all
  int node(int level, int core) const;  // -1: the core is idle in that level
};

CommunicationGraph communication_graph(const Program& program, const Grid& grid);

// Returns the level (from 0) of the segment to which a layer belongs, or -1 when the program has no such
// layer.
int level_of_layer(const Program& program, int layer_id);

}  // namespace lento::chip
