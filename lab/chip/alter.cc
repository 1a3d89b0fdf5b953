// Changes a mapping by seed: kernel sizes of layers with weights, and the core that computes a part of a
// layer.
#include "lab/chip/alter.h"

#include <algorithm>
#include <set>

#include "base/rng.h"
#include "chip/map/grid.h"

namespace lento::chip {
namespace {

using Place = std::pair<int, int>;

// Visits all lists of cores of a layer, to read or to change them.
template <class Visit>
void each_block(MappedLayer& layer, Visit visit) {
  for (auto& f : layer.inputs)
    for (Block& b : f.blocks)
      visit(b);
  for (auto& f : layer.weights)
    for (Block& b : f.blocks)
      visit(b);
  for (auto& f : layer.outputs)
    for (Block& b : f.blocks)
      visit(b);
}

void change_kernel(MappedLayer& layer, base::Rng& rng) {
  constexpr int64_t kSizes[] = {1, 9, 25};
  const int64_t size = kSizes[rng.below(3)];
  for (WeightFeature& weights : layer.weights) {
    if (!weights.from_dram)
      continue;  // an operand: its slices are another layer's
    for (Block& b : weights.blocks)
      b.slice[3] = {0, size};
  }
}

void move_part(MappedLayer& layer, const Grid& grid, base::Rng& rng) {
  std::set<Place> used;
  each_block(layer, [&](Block& b) {
    for (const Position& p : b.cores)
      used.insert({p.x, p.y});
  });
  if (used.empty() || used.size() >= size_t(grid.core_count()))
    return;
  const Place from = *std::next(used.begin(), static_cast<std::ptrdiff_t>(rng.below(used.size())));
  Place to = from;
  while (used.contains(to) || grid.core(to.first, to.second) < 0)
    to = {int(rng.below(uint64_t(grid.width()))), int(rng.below(uint64_t(grid.height())))};
  each_block(layer, [&](Block& b) {
    for (Position& p : b.cores)
      if (Place{p.x, p.y} == from)
        p = {to.first, to.second};
  });
}

}  // namespace

Mapping altered(const Mapping& mapping, const spec::Chip& chip, uint64_t seed) {
  base::Rng rng(seed, "chip.altered");
  const Grid grid(chip);
  Mapping out = mapping;
  out.name += " altered " + std::to_string(seed);
  const size_t surely = out.layers.empty() ? 0 : rng.below(out.layers.size());
  for (size_t i = 0; i < out.layers.size(); ++i) {
    MappedLayer& layer = out.layers[i];
    const bool square = layer.kind == LayerKind::Conv || layer.kind == LayerKind::GroupConv;
    if (square && rng.below(3) == 0)
      change_kernel(layer, rng);
    if (rng.below(3) == 0 || i == surely)
      move_part(layer, grid, rng);
  }
  return out;
}

}  // namespace lento::chip
