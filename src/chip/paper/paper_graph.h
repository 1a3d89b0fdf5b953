// The multi-level communication graph of the SLOTH paper (III-D3), from the expanded mapping: a level for
// each segment that runs on its own; in it a node for each core that works and an edge for each directed link
// with its traffic; between levels a DRAM node that the writers of one and the readers of the next share.
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
    int link = -1;  // -1: to or from DRAM
  };
  RankGraph rank;  // traffic filled in, all scores 0
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // as rank.edges
  int levels = 0;

  size_t dram(int level) const {
    return size_t(level);
  }                                     // node above `level`; levels: below all
  int node(int level, int core) const;  // -1: the core does nothing there
};

CommunicationGraph communication_graph(const Program& program, const Grid& grid);

// The level that runs the layer of this id; -1 when the program has none.
int level_of_layer(const Program& program, int layer_id);

}  // namespace lento::chip
