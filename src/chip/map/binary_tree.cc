// Maps a binary tree of matrix products onto a chip: one core per node, placed along the chip's serpentine,
// and one layer per level. Leaves read from DRAM, inner nodes receive from their children, the root writes to
// DRAM.
#include "chip/map/binary_tree.h"

#include <algorithm>

#include "base/error.h"
#include "base/rng.h"
#include "chip/map/grid.h"

namespace lento::chip {
namespace {

// Lists the nodes in the order of their place along the chip's serpentine. Node i of a heap has children 2i +
// 1 and 2i + 2.
std::vector<int> node_order(const BinaryTree& tree, int nodes) {
  std::vector<int> order;
  if (tree.placement == "compact") {  // in-order: a parent lies between its two subtrees
    const auto visit = [&](const auto& self, int node) -> void {
      if (node >= nodes)
        return;
      self(self, 2 * node + 1);
      order.push_back(node);
      self(self, 2 * node + 2);
    };
    visit(visit, 0);
    return order;
  }
  for (int i = 0; i < nodes; ++i)
    order.push_back(i);
  if (tree.placement == "scatter") {
    base::Rng rng(tree.seed, "chip.binary_tree");
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[rng.below(i)]);
  }
  return order;
}

// Returns the cores of the tree's nodes.
std::vector<Position> place(const BinaryTree& tree, const spec::Chip& chip, int nodes) {
  const std::vector<int> order = node_order(tree, nodes);
  const Grid grid(chip);
  std::vector<Position> at(nodes);
  int next = 0;
  for (int i = 0; next < nodes; ++i) {
    const int y = i / grid.width();
    const int x = i % grid.width();
    const Position p{y % 2 == 0 ? x : grid.width() - 1 - x, y};
    if (grid.core(p) >= 0)
      at[order[next++]] = p;
  }
  return at;
}

// Returns one level of the tree as a mapped layer.
MappedLayer level_layer(const BinaryTree& tree, int level, const std::vector<Position>& at) {
  const int n = 1 << level;
  const int id = tree.depth - 1 - level;
  const Range all{0, tree.size};
  const Range sample{0, 1};
  MappedLayer layer;
  layer.id = id;
  layer.name = "level" + std::to_string(level);
  layer.partition = {1, n, 1, 1};
  InputFeature input{id == 0, id - 1, {}};
  WeightFeature second{false, {}};
  OutputFeature output{level == 0, {}, {}};
  if (level > 0)
    output.next = {id + 1};
  for (int i = 0; i < n; ++i) {
    const Position core = at[n - 1 + i];
    input.blocks.push_back({{core}, {sample, {2 * i, 2 * i + 2}, all, all}});
    second.blocks.push_back({{core}, {sample, {i, i + 1}, all, sample}});
    output.blocks.push_back({{core}, {sample, {i, i + 1}, all, all}});
  }
  layer.inputs = {input};
  layer.weights = {second};
  layer.outputs = {output};
  return layer;
}

}  // namespace

Mapping map_binary_tree(const BinaryTree& tree, const spec::Chip& chip) {
  const int nodes = (1 << tree.depth) - 1;
  if (nodes > chip.core_count()) {
    throw base::Error(
        {"--depth " + std::to_string(tree.depth)},
        "a tree of " + std::to_string(nodes) + " nodes needs as many cores, the chip has " +
            std::to_string(chip.core_count()),
        "choose a smaller depth");
  }
  const std::vector<Position> at = place(tree, chip, nodes);
  Mapping mapping{"binary_tree", tree.passes, {}};
  for (int level = tree.depth - 1; level >= 0; --level)
    mapping.layers.push_back(level_layer(tree, level, at));
  return mapping;
}

}  // namespace lento::chip
