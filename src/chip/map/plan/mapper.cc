// Turns plans into mappings: puts the parts of each layer on cores, lists inputs, weights and consumers, and
// chooses the fastest among pipelined and sequential layouts. Segments take mirror images in turn until
// enough links are used for their faults to be found. Source of the segment model: Gemini (HPCA 2024),
// docs/methods/mapping.md. Cost: one plan and one simulation per candidate.
#include "chip/map/plan/mapper.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "base/error.h"
#include "chip/map/grid.h"
#include "chip/map/identify.h"
#include "chip/map/plan/block_list.h"
#include "chip/map/plan/blocks.h"
#include "chip/map/plan/layouts.h"
#include "chip/map/plan/runs.h"
#include "chip/map/plan/segments.h"
#include "chip/map/plan/sequence.h"
#include "chip/map/plan/stages.h"
#include "chip/map/plan/tuning.h"
#include "chip/map/program.h"

namespace lento::chip {
namespace {

// Lists working cores in the order in which layers take them: columns, up and down in turn. Neighbours in the
// order are neighbours on the chip, and every layer spreads over many rows, hence over many DRAM ports.
//
// `image` is one of the chip's four mirror images. DRAM ports are at both edges of every row and routes stay
// x first, so a mirrored segment alone takes as long as before, and its messages cross other links.
std::vector<Position> serpentine(const Grid& grid, int image) {
  std::vector<Position> order;
  for (int x = 0; x < grid.width(); ++x) {
    for (int i = 0; i < grid.height(); ++i) {
      Position p{x, x % 2 == 0 ? i : grid.height() - 1 - i};
      if (image & 1)
        p.x = grid.width() - 1 - p.x;
      if (image & 2)
        p.y = grid.height() - 1 - p.y;
      if (grid.core(p) >= 0)
        order.push_back(p);
    }
  }
  return order;
}

// Lists working cores along rows, left and right in turn.
std::vector<Position> serpentine_rows(const Grid& grid) {
  std::vector<Position> order;
  for (int y = 0; y < grid.height(); ++y) {
    for (int i = 0; i < grid.width(); ++i) {
      if (const Position p{y % 2 == 0 ? i : grid.width() - 1 - i, y}; grid.core(p) >= 0)
        order.push_back(p);
    }
  }
  return order;
}

// Share of the directed links that a mapping should use. Below it, segments take mirror images in turn.
constexpr double kLinksShown = 0.9;

// When mirror images do not suffice, the cost of segments of one layer is raised by these factors in turn.
// Token-by-token decoding is limited by DRAM however it is cut, and would otherwise be cut into segments of
// one layer.
constexpr double kAlone[] = {1, 1.1, 1.5};

// Period of the sequence of mirror images. The first layer of a segment is best placed where the previous
// segment ends its work early, at the other end of the columns, so most images mirror the rows only. Two in
// sixteen mirror the columns (mirroring all would make ResNet-50 on 8x8 12 % slower). Segments of one layer
// send nothing between cores.
constexpr int kImagePeriod = 16;

// Returns for each segment the number of its mirror image (serpentine()), so that together they use all links
// of the chip.
std::vector<int> segment_images(const Plan& plan) {
  std::vector<int> layers(size_t(plan.segments));
  std::vector<int> images(layers.size());
  for (const PlannedLayer& layer : plan.layers)
    ++layers[size_t(layer.segment)];
  int image = 0;
  for (size_t s = 0; s < layers.size(); ++s) {
    if (layers[s] < 2)
      continue;
    const bool columns =
        image % kImagePeriod / 2 == 1;  // images 2 and 3 of 16, so that short networks use all links
    images[s] = 2 * (image % 2) + (columns ? 1 : 0);
    ++image;
  }
  return images;
}

struct Part {
  Position core;
  Range batch;
  Box box;
};

// Lists the parts. Part i takes the i-th of `cores`.
std::vector<Part>
list_parts(const Layer& layer, const PlannedLayer& planned, std::span<const Position> cores) {
  std::vector<Part> parts;
  const auto& n = planned.cut.parts;
  const auto& e = layer.layout.extents;
  for (int b = 0; b < n[0]; ++b) {
    for (int k = 0; k < n[1]; ++k) {
      for (int h = 0; h < n[2]; ++h) {
        for (int w = 0; w < n[3]; ++w) {
          parts.push_back(
              {cores[parts.size()],
               part_range(planned.samples, n[0], b),
               {part_range(e[0], n[1], k), part_range(e[1], n[2], h), part_range(e[2], n[3], w)}});
        }
      }
    }
  }
  return parts;
}

Slice slice_of(Range batch, const Box& box) {
  return {batch, box[0], box[1], box[2]};
}

// Lists one input feature for every piece of every operand.
std::vector<InputFeature>
list_inputs(const Layer& layer, const std::vector<Part>& parts, const Plan& plan, int segment) {
  std::vector<InputFeature> out;
  std::vector<Need> found;
  for (const Operand& operand : layer.operands) {
    for (const Piece& piece : operand.value.pieces) {
      Operand single{{operand.value.layout, {piece}}, operand.rules, operand.is_weight};
      BlockList blocks;
      for (const Part& part : parts) {
        found.clear();
        needs(layer, single, part.box, found);
        for (const Need& need : found)
          blocks.add(part.core, slice_of(part.batch, need.box));
      }
      if (blocks.empty())
        continue;
      const bool from_dram = piece.source < 0 || plan.layers[piece.source].segment != segment;
      out.push_back({from_dram, piece.source, blocks.take()});
    }
  }
  return out;
}

// Lists the weights that each part needs.
WeightFeature list_weights(const Layer& layer, const std::vector<Part>& parts) {
  BlockList blocks;
  for (const Part& part : parts) {
    if (layer.depth > 0)
      blocks.add(part.core, {Range{0, 1}, part.box[0], Range{0, layer.depth}, Range{0, layer.window}});
  }
  return {layer.weights_from_dram, blocks.take()};
}

// Lists the layers that read each layer, by rising id.
std::vector<std::vector<int>> list_readers(const LayerGraph& graph) {
  std::vector<std::vector<int>> readers(graph.layers.size());
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    for (const Operand& operand : graph.layers[i].operands) {
      for (const Piece& p : operand.value.pieces) {
        if (p.source >= 0 && (readers[p.source].empty() || readers[p.source].back() != int(i)))
          readers[p.source].push_back(int(i));
      }
    }
  }
  return readers;
}

// Returns for each part of a layer its core: `positions` holds by part an index into `cores`.
std::vector<Position> pick(const std::vector<Position>& cores, const std::vector<uint32_t>& positions) {
  std::vector<Position> out;
  for (const uint32_t position : positions)
    out.push_back(cores[position]);
  return out;
}

// Assigns the layers of a plan to cores of the grid. From layer `turning_layer` to the end of its segment the
// direction differs: cores are taken row by row instead of column by column, and blocks of cores are halved
// along the other axis first.
Mapping place(
    const LayerGraph& graph,
    const Grid& grid,
    const MapOptions& options,
    const Plan& plan,
    const std::vector<int>& images,
    size_t turning_layer = SIZE_MAX) {
  const auto readers = list_readers(graph);
  std::vector<Position> cores;
  const std::vector<Position> turned = plan.blocks ? BlockOrder(grid, true).cores() : serpentine_rows(grid);
  Mapping mapping{graph.name, options.batch, {}};
  size_t next_core = 0;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    const Layer& layer = graph.layers[i];
    const PlannedLayer& planned = plan.layers[i];
    if (i == 0 || planned.segment != plan.layers[i - 1].segment) {
      next_core = 0;
      cores =
          plan.blocks ? BlockOrder(grid, false).cores() : serpentine(grid, images[size_t(planned.segment)]);
    }
    if (i == turning_layer)
      cores = turned;
    const std::vector<Position> taken = plan.sequential
                                            ? pick(cores, planned.positions)
                                            : std::vector(cores.begin() + ptrdiff_t(next_core), cores.end());
    const std::vector<Part> parts = list_parts(layer, planned, taken);
    next_core += parts.size();
    MappedLayer mapped;
    mapped.id = int(i);
    mapped.name = layer.name;
    mapped.kind = layer.kind;
    mapped.group_count = layer.group_count;
    mapped.segment = planned.segment + 1;
    mapped.samples_per_pass = planned.samples;
    mapped.partition = planned.cut.parts;
    mapped.fetch = planned.cut.fetch;
    mapped.inputs = list_inputs(layer, parts, plan, planned.segment);
    mapped.weights = {list_weights(layer, parts)};
    bool to_dram = readers[i].empty();
    for (const int r : readers[i])
      to_dram = to_dram || plan.layers[r].segment != planned.segment;
    BlockList blocks;
    for (const Part& part : parts)
      blocks.add(part.core, slice_of(part.batch, part.box));
    mapped.outputs = {{to_dram, readers[i], blocks.take()}};
    mapping.layers.push_back(std::move(mapped));
  }
  return mapping;
}

// Returns the share of the directed links that some message between cores crosses in this mapping.
double
links_shown(const Mapping& mapping, const Grid& grid, const spec::Chip& chip, const std::string& file) {
  if (grid.link_count() == 0)
    return 1;
  const Identifiability seen = identify(expand(mapping, chip, file), grid, LinkRank::Skip);
  return double(seen.used_links) / grid.link_count();
}

// Returns the bytes that the parts of a layer read from each source, summed over the parts.
std::map<int, int64_t> taken_bytes(const Layer& layer, const PlannedLayer& planned) {
  std::map<int, int64_t> bytes;
  std::vector<Need> found;
  const std::vector<Position> anywhere(size_t(planned.cut.cores));
  for (const Part& part : list_parts(layer, planned, anywhere)) {
    found.clear();
    for (const Operand& operand : layer.operands)
      needs(layer, operand, part.box, found);
    for (const Need& need : found)
      bytes[need.source] += part.batch.size() * need.box[0].size() * need.box[1].size() * need.box[2].size();
  }
  return bytes;
}

// Returns the layer in the middle half of a network that divides it with the least traffic from before it to
// itself and its followers. A source that several of them read counts once, with the bytes of the reader that
// takes most. Bytes read are counted and not bytes produced, because the cores of a layer gather the same
// rows many times over.
size_t narrow_place(const LayerGraph& graph, const Plan& plan) {
  const size_t n = graph.layers.size();
  std::vector<int64_t> most(n);  // largest read of each source by its readers from `at` on
  size_t best = n / 2;
  int64_t fewest = INT64_MAX;
  for (size_t at = n; at-- > n / 4 + 1;) {
    for (const auto& [source, bytes] : taken_bytes(graph.layers[at], plan.layers[at])) {
      if (source >= 0)
        most[size_t(source)] = std::max(most[size_t(source)], bytes);
    }
    const int64_t crossing = std::reduce(most.begin(), most.begin() + ptrdiff_t(at), int64_t{0});
    if (at <= n - n / 4 - 1 && crossing < fewest) {
      fewest = crossing;
      best = at;
    }
  }
  return best;
}

// Keeps the fastest mapping among those whose messages use the share kLinksShown of the links, or the one
// that uses most when none does.
class Fastest {
 public:
  Fastest(const Grid& grid, const spec::Chip& chip, const MapOptions& options)
      : grid_(grid),
        chip_(chip),
        options_(options) {
  }

  // Makes a mapping of this plan, which turns its direction (place()) when it uses too few links otherwise,
  // and keeps it when it uses more links than the best one, or as many and is faster.
  void consider(const Planned& planned) {
    const auto& [graph, plan] = planned;
    Mapping mapping = laid_out(planned, SIZE_MAX);
    double links = links_shown(mapping, grid_, chip_, graph.name);
    if (links < kLinksShown) {
      mapping = laid_out(planned, narrow_place(graph, plan));
      links = links_shown(mapping, grid_, chip_, graph.name);
    }
    links = std::min(links, kLinksShown);
    if (best_ && links < links_)
      return;
    const double cycles = options_.judge ? options_.judge(mapping) : plan.cycles;
    if (best_ && links == links_ && cycles >= cycles_)
      return;
    best_ = std::move(mapping);
    links_ = links;
    cycles_ = cycles;
  }

  std::optional<Mapping> take() {
    return std::move(best_);
  }

 private:
  // Returns the mapping of a plan with the direction turned at layer `turning_layer` (place()).
  Mapping laid_out(const Planned& planned, size_t turning_layer) const {
    const auto& [graph, plan] = planned;
    const std::vector<int> images(size_t(plan.segments));
    const Mapping direct = place(graph, grid_, options_, plan, images, turning_layer);
    if (!plan.blocks)
      return in_runs(direct, plan);
    const std::vector<Position> orders[2] = {
        BlockOrder(grid_, false).cores(),
        BlockOrder(grid_, true).cores()};
    const Staged stages = in_stages(graph, direct, plan, orders, turning_layer);
    return in_runs(stages.mapping, stages.plan);
  }

  const Grid& grid_;
  const spec::Chip& chip_;
  const MapOptions& options_;
  std::optional<Mapping> best_;
  double links_ = 0;  // share of the links that should be used
  double cycles_ = 0;
};

// Maps a network with attention layer after layer, because its activations outweigh its weights.
std::optional<Mapping> map_in_sequence(
    const LayerGraph& graph,
    const Grid& grid,
    const spec::Chip& chip,
    const MapOptions& options,
    const base::Progress& progress) {
  if (!has_attention(graph))
    return std::nullopt;
  Fastest fastest(grid, chip, options);
  std::vector<Planned> grouped;
  if (options.judge)
    grouped = plan_grouped(graph, chip, options, progress);
  // Without groups every layer is cut for itself, which takes long to search and is better only for few
  // samples.
  if (grouped.empty() || options.batch * kSamplesOfGroups < chip.core_count()) {
    if (const auto ungrouped = plan_ungrouped(graph, chip, options))
      fastest.consider(*ungrouped);
  }
  for (const Planned& planned : grouped)
    fastest.consider(planned);
  return fastest.take();
}

}  // namespace

Mapping map_network(
    const LayerGraph& graph,
    const spec::Chip& chip,
    const MapOptions& options,
    const std::string& file,
    const base::Progress& progress) {
  const Grid grid(chip);
  Mapping best;
  double most = -1;
  const auto consider = [&](Mapping mapping) {
    const double shown = links_shown(mapping, grid, chip, file);
    if (shown > most) {
      most = shown;
      best = std::move(mapping);
    }
    return most >= kLinksShown;
  };
  if (auto mapping = map_in_sequence(graph, grid, chip, options, progress))
    return *mapping;
  for (const double alone : kAlone) {
    MapOptions tried = options;
    tried.alone = options.alone * alone;
    const Plan plan = plan_segments(graph, chip, tried, file, progress);
    if (consider(place(graph, grid, options, plan, std::vector<int>(size_t(plan.segments)))))
      break;
    if (consider(place(graph, grid, options, plan, segment_images(plan))))
      break;
  }
  return best;
}

}  // namespace lento::chip
