// Shares long reductions between the cores of a group: y = x W, with W in runs of rows W_0 .. W_(g-1) and x_i
// the channels that belong to W_i:
//
//   y_i = x_i W_i  on the cores of rank i      y = y_0 + ... + y_(g-1)  cut over all cores
//
// The product before has left x_i on the core of rank i when it is cut into g parts along its channels,
// because runs and parts end at the same channels (part_range).
//
// The sum is placed as late as possible: before the first layer that reads it, or before the next such
// product. The layers in between (such as the next expert of a mixture) run during the exchange.
#include "chip/map/lower/splits.h"

#include <algorithm>
#include <optional>

#include "chip/map/plan/partition.h"

namespace lento::chip {
namespace {

class Splitter {
 public:
  Splitter(const LayerGraph& graph, int ranks)
      : graph_(graph),
        ranks_(ranks) {
  }

  // Returns the network with each product that split_dim() accepts cut into one part a rank, and a layer that
  // adds up the parts.
  LayerGraph run() {
    out_.name = graph_.name;
    out_.generic = graph_.generic;
    count_readers();
    now_.assign(graph_.layers.size(), -1);
    for (size_t i = 0; i < graph_.layers.size(); ++i) {
      const Layer& layer = graph_.layers[i];
      const auto dim = split_dim(layer);
      if (waiting_ && (dim || reads(layer, waiting_->of)))
        add_waiting();
      if (dim) {
        split(i, *dim);
      } else {
        now_[i] = add(layer);
      }
    }
    if (waiting_)
      add_waiting();
    return std::move(out_);
  }

 private:
  // Counts the layers that read each layer.
  void count_readers() {
    readers_.assign(graph_.layers.size(), 0);
    for (const Layer& layer : graph_.layers) {
      for (const Operand& operand : layer.operands) {
        for (const Piece& p : operand.value.pieces) {
          if (p.source >= 0)
            ++readers_[size_t(p.source)];
        }
      }
    }
  }

  // Returns whether the rows of a product are gathered in any case: other layers read them too, or no single
  // layer produces them.
  bool read_by_others(const Layer& layer) const {
    const auto& pieces = layer.operands.front().value.pieces;
    return pieces.size() != 1 || pieces.front().source < 0 || readers_[size_t(pieces.front().source)] > 1;
  }

  // Returns the operand dimension along which in_splits() cuts a layer, or nothing when the layer stays
  // whole.
  std::optional<size_t> split_dim(const Layer& layer) const {
    if (ranks_ < 2 || !has_matrix(layer) || layer.depth <= layer.layout.extents[0] || layer.depth < ranks_)
      return std::nullopt;
    const auto dim = reduced_dim(layer);
    if (!dim || read_by_others(layer) ||
        !slice(layer.operands.front().value, *dim, part_range(layer.depth, ranks_, 0)))
      return std::nullopt;
    return dim;
  }

  struct Sum {
    Layer layer;
    size_t of = 0;  // index of the product in the old graph
  };

  static bool reads(const Layer& layer, size_t source) {
    return std::ranges::any_of(layer.operands, [source](const Operand& operand) {
      return std::ranges::any_of(operand.value.pieces, [source](const Piece& p) {
        return p.source == int(source);
      });
    });
  }

  void add_waiting() {
    out_.layers.push_back(std::move(waiting_->layer));
    now_[waiting_->of] = int(out_.layers.size()) - 1;
    waiting_.reset();
  }

  // Adds the parts of a product, one a rank. Their sum waits in `waiting_`.
  void split(size_t index, size_t dim) {
    const Layer& whole = graph_.layers[index];
    Layer sum;
    sum.name = whole.name + ".sum";
    sum.kind = LayerKind::Elementwise;
    sum.layout = whole.layout;
    std::vector<DimRule> rules;
    for (size_t d = 0; d < whole.layout.dims.size(); ++d)
      rules.push_back({DimRule::Kind::Same, int(d)});
    for (int rank = 0; rank < ranks_; ++rank) {
      Layer part = whole;
      const Range run = part_range(whole.depth, ranks_, rank);
      part.name += ".rank" + std::to_string(rank);
      part.depth = run.size();
      part.rank = rank;
      part.ranks = ranks_;
      part.operands.front().value = *slice(whole.operands.front().value, dim, run);
      const int made = add(std::move(part));
      sum.operands.push_back({{whole.layout, {{made, {}, {}, whole.layout.extents}}}, rules, false});
    }
    waiting_ = Sum{std::move(sum), index};
  }

  // Adds a layer with its sources renumbered.
  int add(Layer layer) {
    for (Operand& operand : layer.operands) {
      for (Piece& p : operand.value.pieces)
        p.source = p.source < 0 ? p.source : now_[size_t(p.source)];
    }
    out_.layers.push_back(std::move(layer));
    return int(out_.layers.size()) - 1;
  }

  const LayerGraph& graph_;
  const int ranks_;
  std::vector<int> readers_;
  std::optional<Sum> waiting_;
  std::vector<int> now_;  // by layer of the old graph: its index in the new one
  LayerGraph out_;
};

}  // namespace

LayerGraph in_splits(const LayerGraph& graph, int ranks) {
  return Splitter(graph, ranks).run();
}

}  // namespace lento::chip
