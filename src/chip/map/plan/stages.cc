// Replaces exchanges between many cores of a mapping by layers that exchange in stages, and sums of a group
// by recursive halving. An exchange that one reader has set up is reused by later readers with the same
// needs. Where the number of cores is no power of two, exchanges stay direct.
#include "chip/map/plan/stages.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "chip/map/plan/block_list.h"
#include "chip/map/plan/exchange.h"

namespace lento::chip {
namespace {

// Least number of ranks whose results are summed in stages.
constexpr size_t kLeastRanks = 8;

// Returns whether two lists hold the same slices on the same cores.
bool same_blocks(const std::vector<Block>& a, const std::vector<Block>& b) {
  return std::ranges::equal(a, b, [](const Block& x, const Block& y) {
    return !SliceLess()(x.slice, y.slice) && !SliceLess()(y.slice, x.slice) &&
           std::ranges::equal(x.cores, y.cores, [](Position p, Position q) {
             return p.x == q.x && p.y == q.y;
           });
  });
}

class Stager {
 public:
  Stager(
      const LayerGraph& graph,
      const Mapping& mapping,
      const Plan& plan,
      const std::vector<Position> (&orders)[2],
      size_t turning_layer)
      : graph_(graph),
        mapping_(mapping),
        plan_(plan),
        orders_(orders),
        turning_layer_(turning_layer) {
    for (size_t o = 0; o < 2; ++o) {
      for (size_t i = 0; i < orders[o].size(); ++i)
        positions_[o][{orders[o][i].x, orders[o][i].y}] = i;
    }
  }

  // Returns the mapping in which exchanges between many cores happen in stages (stages.h), and its plan.
  Staged run() {
    out_.mapping = {mapping_.name, mapping_.batch, {}};
    out_.plan = plan_;
    out_.plan.layers.clear();
    for (size_t i = 0; i < mapping_.layers.size(); ++i) {
      MappedLayer layer = mapping_.layers[i];
      gathers_ = 0;
      if (!add_up(i, layer))
        redirect(i, layer.inputs);
      put(std::move(layer), plan_.layers[i]);
      now_.push_back(int(out_.mapping.layers.size()) - 1);
    }
    link();
    return std::move(out_);
  }

 private:
  struct Gathered {  // an exchange that was already set up
    std::vector<Block> needs;
    std::vector<InputFeature> inputs;  // inputs that hold exactly these needs on the right cores
  };

  size_t order_of(size_t layer) const {
    return layer >= turning_layer_ &&
                   mapping_.layers[layer].segment == mapping_.layers[turning_layer_].segment
               ? 1
               : 0;
  }

  void put(MappedLayer layer, const PlannedLayer& planned) {
    layer.id = int(out_.mapping.layers.size());
    out_.mapping.layers.push_back(std::move(layer));
    out_.plan.layers.push_back(planned);
  }

  // Renumbers the source layers of the inputs of layer `index`, and replaces inputs that come from many cores
  // by those from the layers that gather them in stages (gather()).
  void redirect(size_t index, std::vector<InputFeature>& inputs) {
    std::vector<InputFeature> out;
    for (const InputFeature& input : inputs) {
      for (InputFeature& now : redirected(index, input))
        out.push_back(std::move(now));
    }
    inputs = std::move(out);
  }

  // Returns an input with its source renumbered. An input from a layer of the same segment, with the same
  // order of cores, is gathered in stages (gather()), or taken from layers that gather the same data for an
  // earlier reader.
  std::vector<InputFeature> redirected(size_t index, InputFeature input) {
    if (input.source_layer < 0)
      return {input};
    const auto source = size_t(input.source_layer);
    input.source_layer = now_[source];
    if (input.from_dram || mapping_.layers[source].segment != mapping_.layers[index].segment ||
        order_of(source) != order_of(index))
      return {input};
    for (const Gathered& g : gathered_[source]) {
      if (same_blocks(g.needs, input.blocks))
        return g.inputs;
    }
    std::vector<InputFeature> found = gather(index, source, input.blocks);
    gathered_[source].push_back({input.blocks, found});
    return found;
  }

  // Returns the slices of each core.
  ByCore by_core(const std::vector<Block>& blocks, size_t order) const {
    ByCore out(orders_[order].size());
    for (const Block& block : blocks) {
      for (const Position p : block.cores)
        add(out[positions_[order].at({p.x, p.y})], block.slice);
    }
    return out;
  }

  // Adds layers that gather the needs in stages, where that saves messages (stages_worth()). The data for a
  // product with weights is gathered in two halves at the same time where it can be halved (halved()), each
  // in another order of stages. Returns the input from the last layer, or those from the last layers of both
  // halves. Returns the direct input where nothing was added.
  std::vector<InputFeature> gather(size_t reader, size_t source, const std::vector<Block>& needs) {
    const InputFeature direct{false, now_[source], needs};
    const size_t order = order_of(source);
    if (!std::has_single_bit(orders_[order].size()))
      return {direct};
    const ByCore have = by_core(mapping_.layers[source].outputs.front().blocks, order);
    const ByCore need = by_core(needs, order);
    const size_t bits = stages_worth(have, need);
    if (bits == 0)
      return {direct};
    std::vector<std::vector<ByCore>> ways;
    if (const auto halves = halved(have, need); halves && has_weights(reader)) {
      for (const bool second : {false, true}) {
        ways.push_back(plan_stages(
            within(have, (*halves)[second]),
            within(need, (*halves)[second]),
            order_of_bits(bits, second)));
      }
    }
    if (ways.empty() || ways[0].empty() || ways[1].empty())
      ways = {plan_stages(have, need, order_of_bits(bits, false))};
    if (ways[0].empty())
      return {direct};
    std::vector<int> last(ways.size(), now_[source]);
    for (size_t i = 0; i < ways[0].size(); ++i) {
      ++gathers_;
      for (size_t way = 0; way < ways.size(); ++way) {
        MappedLayer layer = stage(reader, last[way], ways[way][i], order);
        if (ways.size() > 1)
          layer.name += way == 0 ? ".a" : ".b";
        put(std::move(layer), stage_plan(reader));
        last[way] = int(out_.mapping.layers.size()) - 1;
      }
    }
    std::vector<InputFeature> out;
    for (size_t way = 0; way < ways.size(); ++way)
      out.push_back({false, last[way], blocks_of(ways[way].back(), order)});
    return out;
  }

  bool has_weights(size_t layer) const {
    return !mapping_.layers[layer].weights.front().blocks.empty();
  }

  // Makes a layer in which each core gathers the slices `owned` from layer `source` for a reader.
  MappedLayer stage(size_t reader, int source, const ByCore& owned, size_t order) {
    MappedLayer out = between(reader, blocks_of(owned, order));
    out.name += ".gather" + std::to_string(gathers_);
    out.kind = LayerKind::Transpose;
    out.inputs = {{false, source, out.outputs.front().blocks}};
    return out;
  }

  template <class Among>
  // Returns the slices of the cores for which `among` holds, as blocks.
  std::vector<Block> blocks_of(const ByCore& owned, size_t order, Among among) const {
    BlockList blocks;
    for (size_t c = 0; c < owned.size(); ++c) {
      for (const Slice& slice : owned[c]) {
        if (among(c))
          blocks.add(orders_[order][c], slice);
      }
    }
    return blocks.take();
  }
  std::vector<Block> blocks_of(const ByCore& owned, size_t order) const {
    return blocks_of(owned, order, [](size_t) {
      return true;
    });
  }

  // Makes a layer that is placed before the reader and produces these blocks.
  MappedLayer between(size_t reader, std::vector<Block> blocks) const {
    const MappedLayer& of = mapping_.layers[reader];
    MappedLayer out;
    out.name = of.name;
    out.segment = of.segment;
    out.samples_per_pass = of.samples_per_pass;
    for (size_t axis = 0; axis < out.partition.size(); ++axis) {
      std::set<int64_t> starts;
      for (const Block& block : blocks)
        starts.insert(block.slice[axis].start);
      out.partition[axis] = int(starts.size());
    }
    out.outputs = {{false, {}, std::move(blocks)}};
    out.weights = {{true, {}}};
    return out;
  }

  // Returns the layers whose results the reader sums, by the position of their core in its group. Empty when
  // the inputs are not those of all ranks of one product, each read in the same way.
  std::vector<size_t> ranks_of(size_t reader) const {
    const MappedLayer& layer = mapping_.layers[reader];
    const size_t order = order_of(reader);
    std::vector<size_t> by_place(layer.inputs.size(), SIZE_MAX);
    if (!std::has_single_bit(by_place.size()) || by_place.size() < kLeastRanks ||
        !std::has_single_bit(orders_[order].size()))
      return {};
    for (const InputFeature& input : layer.inputs) {
      if (input.from_dram || input.source_layer < 0)
        return {};
      const auto source = size_t(input.source_layer);
      if (graph_.layers[source].ranks != int(by_place.size()) || order_of(source) != order ||
          mapping_.layers[source].segment != layer.segment ||
          !same_blocks(input.blocks, layer.inputs.front().blocks))
        return {};
      std::set<size_t> places;
      for (const Block& block : mapping_.layers[source].outputs.front().blocks) {
        for (const Position p : block.cores)
          places.insert(positions_[order].at({p.x, p.y}) % by_place.size());
      }
      if (places.size() != 1 || by_place[*places.begin()] != SIZE_MAX)
        return {};
      by_place[*places.begin()] = source;
    }
    return by_place;
  }

  // Makes the inputs of `layer` arrive as sums of the results of the cores of a group, by recursive halving.
  // Returns false, and adds nothing, when they are no results of ranks (ranks_of()). In each stage a core and
  // its mirror image (exchange.h) add their results, each core for one half of the rows, and nearby images
  // come first. Results for the same rows are on different cores, so each is a layer of its own.
  bool add_up(size_t reader, MappedLayer& layer) {
    std::vector<int> sources;
    for (const size_t source : ranks_of(reader))
      sources.push_back(now_[source]);
    if (sources.empty())
      return false;
    const size_t order = order_of(reader);
    const size_t ranks = sources.size();
    const std::vector<ByCore> kept = plan_sums(by_core(layer.inputs.front().blocks, order), ranks);
    if (kept.empty())
      return false;
    for (size_t stage = kept.size(); stage-- > 1;) {
      const size_t done = kept.size() - stage;  // halvings done
      std::vector<int> sums;
      for (size_t p = 0; p < ranks >> done; ++p) {
        MappedLayer sum = between(reader, blocks_of(kept[stage], order, [&](size_t c) {
                                    return c % ranks >> done == p;
                                  }));
        sum.name += "." + std::to_string(done) + "." + std::to_string(p);
        sum.kind = LayerKind::Elementwise;
        take_both(sum, sources, p, sum.outputs.front().blocks);
        put(std::move(sum), stage_plan(reader));
        sums.push_back(int(out_.mapping.layers.size()) - 1);
      }
      sources = std::move(sums);
    }
    const std::vector<Block> needs = layer.inputs.front().blocks;
    layer.inputs.clear();
    take_both(layer, sources, 0, needs);
    return true;
  }

  static void
  take_both(MappedLayer& sum, const std::vector<int>& sources, size_t p, const std::vector<Block>& needs) {
    sum.inputs.push_back({false, sources[2 * p], needs});
    sum.inputs.push_back({false, sources[2 * p + 1], needs});
  }

  PlannedLayer stage_plan(size_t reader) const {
    PlannedLayer planned;
    planned.segment = plan_.layers[reader].segment;
    planned.samples = plan_.layers[reader].samples;
    return planned;
  }

  // Sets the readers of every layer.
  void link() {
    auto& layers = out_.mapping.layers;
    for (MappedLayer& layer : layers)
      layer.outputs.front().next.clear();
    for (const MappedLayer& layer : layers) {
      for (const InputFeature& input : layer.inputs) {
        if (input.source_layer < 0)
          continue;
        std::vector<int>& next = layers[size_t(input.source_layer)].outputs.front().next;
        if (next.empty() || next.back() != layer.id)
          next.push_back(layer.id);
      }
    }
  }

  const LayerGraph& graph_;
  const Mapping& mapping_;
  const Plan& plan_;
  const std::vector<Position> (&orders_)[2];
  const size_t turning_layer_;
  std::map<std::pair<int, int>, size_t> positions_[2];
  Staged out_;
  std::vector<int> now_;                              // new number of each layer
  std::map<size_t, std::vector<Gathered>> gathered_;  // by source
  int gathers_ = 0;                                   // layers inserted before the current reader
};

}  // namespace

Staged in_stages(
    const LayerGraph& graph,
    const Mapping& mapping,
    const Plan& plan,
    const std::vector<Position> (&orders)[2],
    size_t turning_layer) {
  return Stager(graph, mapping, plan, orders, turning_layer).run();
}

}  // namespace lento::chip
