// Cuts long reductions into runs: y = x W, with W in runs of rows W_0 .. W_(g-1), is y = x_0 W_0 + ... +
// x_(g-1) W_(g-1).
//
// x_j is a run of channels. When x = f(u V) element by element and no other layer reads it, x_j = f(u V_j)
// with the columns V_j, and the layers between are cut into the same runs ("along"). Layers come out in this
// order:
//
//   along_0.. product_0   along_1.. product_1 sum_1   along_2.. product_2 sum_2   ...
#include "chip/map/lower/chunks.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lento::chip {
namespace {

bool makes_own_products(const Layer& layer) {
  return layer.depth > 0 && layer.weights_from_dram && layer.window == 1 && layer.group_count == 1 &&
         layer.operands.size() == 1;
}

Range run_of(int64_t extent, int64_t count, int64_t j) {
  return {extent * j / count, extent * (j + 1) / count};
}

class Chunker {
 public:
  Chunker(const LayerGraph& graph, int64_t channels)
      : graph_(graph),
        channels_(channels) {
  }

  // Returns the network with each reduction over more than `channels_` channels cut into a chain of partial
  // sums.
  LayerGraph run() {
    readers_ = readers_of(graph_);
    const size_t n = graph_.layers.size();
    has_same_cuts_.assign(n, false);
    for (size_t i = 0; i < n; ++i)
      plan(i);
    out_.name = graph_.name;
    out_.generic = graph_.generic;
    for (size_t i = 0; i < n; ++i) {
      if (const auto found = products_.find(i); found != products_.end()) {
        emit(i, found->second);
      } else if (!has_same_cuts_[i]) {
        now_[i] = add(graph_.layers[i], -1);
      }
    }
    return std::move(out_);
  }

 private:
  struct Product {
    size_t dim = 0;
    int64_t count = 1;
    std::vector<size_t> same_cuts;  // layers that are cut into the same runs, ascending
  };

  // Notes in `products_` into how many equal runs of at most `channels_` channels a product is cut, the
  // fewest that divide its depth, and which layers are cut along with it. Other layers stay whole.
  void plan(size_t index) {
    const Layer& layer = graph_.layers[index];
    if (!makes_own_products(layer) || layer.depth <= channels_)
      return;
    const auto dim = reduced_dim(layer);
    if (!dim)
      return;
    Product product{*dim, 2, {}};
    while (layer.depth / product.count > channels_ || layer.depth % product.count != 0)
      ++product.count;
    if (!slice(layer.operands.front().value, *dim, run_of(layer.depth, product.count, 0)))
      return;
    follow(layer.operands.front(), *dim, index, product);
    std::ranges::sort(product.same_cuts);
    products_[index] = std::move(product);
  }

  // Adds the layer that produces an operand to those that are cut along with the product, when the layer's
  // channels are dimension `dim` of the operand and only `reader` reads the layer. Continues with the
  // operands of that layer when it works element by element.
  void follow(const Operand& operand, size_t dim, size_t reader, Product& product) {
    const auto& pieces = operand.value.pieces;
    if (pieces.size() != 1 || pieces.front().source < 0)
      return;
    const auto source = size_t(pieces.front().source);
    const Layer& layer = graph_.layers[source];
    const auto channels = channel_dim(layer.layout);
    const bool in_order =
        operand.value.layout.dims[dim] == std::vector<Digit>{{0, 1, layer.layout.extents[0]}};
    if (readers_[source] != std::vector<size_t>{reader} || !channels || !in_order ||
        products_.contains(source) || pieces.front().size != layer.layout.extents)
      return;
    if (makes_own_products(layer)) {
      if (!reads_channels(layer, *channels))
        take(source, product);
      return;
    }
    if (layer.kind != LayerKind::Elementwise || layer.depth > 0 || !can_be_cut(layer, *channels))
      return;
    take(source, product);
    for (const Operand& behind : layer.operands)
      follow(behind, dim_of(behind, *channels), source, product);
  }

  void take(size_t source, Product& product) {
    has_same_cuts_[source] = true;
    product.same_cuts.push_back(source);
  }

  static bool reads_channels(const Layer& layer, size_t channels) {
    return std::ranges::any_of(layer.operands.front().rules, [&](const DimRule& rule) {
      return rule.kind != DimRule::Kind::Full && rule.from == int(channels);
    });
  }

  // Returns the operand's dimension that has the same positions as output dimension `channels`, or the number
  // of dimensions when there is none.
  static size_t dim_of(const Operand& operand, size_t channels) {
    size_t d = 0;
    while (d < operand.rules.size() &&
           !(operand.rules[d].kind == DimRule::Kind::Same && operand.rules[d].from == int(channels)))
      ++d;
    return d;
  }

  // Returns whether each output element needs one element of every operand, and each operand can be sliced to
  // a run of output dimension `channels`.
  static bool can_be_cut(const Layer& layer, size_t channels) {
    return std::ranges::all_of(layer.operands, [&](const Operand& operand) {
      bool same = true;
      for (size_t r = 0; r < operand.rules.size(); ++r)
        same = same && (operand.rules[r].kind == DimRule::Kind::Same || operand.value.layout.dims[r].empty());
      const size_t d = dim_of(operand, channels);
      return same && d < operand.rules.size() && slice(operand.value, d, {0, 1}).has_value();
    });
  }

  // Appends a layer to the new graph and renumbers its sources. A source that is cut is replaced by its part
  // of run `run`. Returns the layer's index in the new graph.
  int add(Layer layer, int64_t run) {
    for (Operand& operand : layer.operands) {
      for (Piece& p : operand.value.pieces) {
        if (p.source < 0)
          continue;
        const auto source = size_t(p.source);
        if (has_same_cuts_[source]) {
          p.from[0] -= start_of_.at({source, run});
          p.source = part_of_.at({source, run});
        } else {
          p.source = now_.at(source);
        }
      }
    }
    out_.layers.push_back(std::move(layer));
    return int(out_.layers.size()) - 1;
  }

  // Adds the parts of a product and the layers that sum them.
  void emit(size_t index, const Product& product) {
    const Layer& whole = graph_.layers[index];
    int sum = -1;
    for (int64_t j = 0; j < product.count; ++j) {
      for (const size_t layer : product.same_cuts)
        emit_with_same_cuts(layer, product.count, j);
      Layer part = whole;
      const Range run = run_of(whole.depth, product.count, j);
      part.name += "." + std::to_string(j);
      part.depth = run.size();
      part.operands.front().value = *slice(whole.operands.front().value, product.dim, run);
      const int made = add(std::move(part), j);
      sum = j == 0 ? made : add_sum(whole, sum, made, j);
    }
    now_[index] = sum;
  }

  // Adds part j of a layer whose channels are cut into the `count` runs of the product that reads them.
  void emit_with_same_cuts(size_t index, int64_t count, int64_t j) {
    Layer part = graph_.layers[index];
    const size_t dim = *channel_dim(part.layout);
    const Range run = run_of(part.layout.extents[0], count, j);
    part.name += "." + std::to_string(j);
    part.layout.extents[0] = run.size();
    part.layout.dims[dim].front().extent = run.size();
    for (Operand& operand : part.operands) {
      if (const size_t d = dim_of(operand, dim); part.kind == LayerKind::Elementwise)
        operand.value = *slice(operand.value, d, run);
    }
    part_of_[{index, j}] = add(std::move(part), j);
    start_of_[{index, j}] = run.start;
  }

  // Adds the layer that adds partial product `made` to `before`, the sum of the earlier ones. Returns its
  // index.
  int add_sum(const Layer& product, int before, int made, int64_t j) {
    Layer sum;
    sum.name = product.name + ".sum" + std::to_string(j);
    sum.kind = LayerKind::Elementwise;
    sum.layout = product.layout;
    std::vector<DimRule> rules;
    for (size_t d = 0; d < product.layout.dims.size(); ++d)
      rules.push_back({DimRule::Kind::Same, int(d)});
    for (const int source : {before, made})
      sum.operands.push_back({{product.layout, {{source, {}, {}, product.layout.extents}}}, rules, false});
    out_.layers.push_back(std::move(sum));
    return int(out_.layers.size()) - 1;
  }

  const LayerGraph& graph_;
  const int64_t channels_;
  std::vector<std::vector<size_t>> readers_;
  std::map<size_t, Product> products_;
  std::vector<bool> has_same_cuts_;                    // whether a layer is cut into the runs of some product
  std::map<size_t, int> now_;                          // by layer of the old graph: its index in the new one
  std::map<std::pair<size_t, int64_t>, int> part_of_;  // new index of run j of a layer that is cut
  std::map<std::pair<size_t, int64_t>, int64_t> start_of_;  // first channel of run j of a layer that is cut
  LayerGraph out_;
};

}  // namespace

LayerGraph in_chunks(const LayerGraph& graph, int64_t channels) {
  return Chunker(graph, channels).run();
}

}  // namespace lento::chip
