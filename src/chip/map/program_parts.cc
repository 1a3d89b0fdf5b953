// Plans the reads, operations and outputs of every core for one pass of a layer. Operations per output
// element are counted as in the released SLOTH example (chip/map/file/released.h), so that times are
// comparable.
#include "chip/map/program_parts.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "chip/map/file/map_file.h"

namespace lento::chip {
namespace {

using base::child;
using base::Location;

// Returns the operations of one output element. `weights` and `input` are the slices from which this core
// computes it.
uint64_t operations_per_output(const MappedLayer& layer, const Slice* weights, const Slice* input) {
  const uint64_t reduced = weights ? (*weights)[2].size() * (*weights)[3].size()
                           : input ? input->at(1).size()
                                   : 1;
  switch (layer.kind) {
    case LayerKind::Conv:
    case LayerKind::FullyConnected:
    case LayerKind::PointToPoint:
      return reduced;
    case LayerKind::GroupConv:
      return std::max<uint64_t>(1, reduced / layer.group_count);
    case LayerKind::Pool:
      return 4;  // comparisons of a 2x2 window; counted as in the released example
    case LayerKind::Elementwise:
    case LayerKind::Transpose:
      return 1;
  }
  return 1;
}

class LayerPlanner {
 public:
  LayerPlanner(const SegmentOf& segment, size_t index, uint32_t passes)
      : segment_(segment),
        index_(index),
        layer_(segment.mapping.layers[index]) {
    plan_.passes = passes;
  }

  // Plans reads, operations and outputs of one layer for each core.
  LayerPlan run() {
    for (const InputFeature& input : layer_.inputs)
      add_input(input);
    for (const WeightFeature& feature : layer_.weights)
      add_weights(feature);
    for (size_t f = 0; f < layer_.outputs.size(); ++f)
      add_output(layer_.outputs[f], f == 0);
    return std::move(plan_);
  }

 private:
  uint32_t core(Position p) const {
    return uint32_t(segment_.grid.core(p));
  }

  PartPlan& part_of(Position p) {
    PartPlan& part = plan_.parts[core(p)];
    part.receives.resize(plan_.passes);
    part.sends.resize(plan_.passes);
    return part;
  }

  // Adds the cores that need an input, and their reads when it comes from DRAM.
  void add_input(const InputFeature& input) {
    const int source = input.source_layer < 0 ? -1 : segment_.index_of.at(input.source_layer);
    const bool from_cores = source >= int(segment_.begin) && !input.from_dram;
    if (source >= 0 && !from_cores)
      check_written(segment_.mapping.layers[source]);
    for (const Block& block : input.blocks) {
      for (const Position p : block.cores) {
        inputs_.try_emplace(core(p), &block.slice);
        PartPlan& part = part_of(p);
        if (!from_cores)
          part.reads.push_back({uint64_t(volume(block.slice)), false, source, block.slice[0].end});
      }
    }
  }

  // Throws base::Error when a layer that is read from memory was not written there.
  void check_written(const MappedLayer& source) const {
    for (const OutputFeature& output : source.outputs) {
      if (output.to_dram)
        return;
    }
    throw base::Error(
        child(child(Location{segment_.file}, "layers"), index_),
        "layer " + std::to_string(layer_.id) + " reads layer " + std::to_string(source.id) +
            " from DRAM, but that layer writes nothing there",
        "give layer " + std::to_string(source.id) + " an output_feature with \"dest\": \"dram\"");
  }

  // Adds the weights that each core reads.
  void add_weights(const WeightFeature& feature) {
    for (const Block& block : feature.blocks) {
      for (const Position p : block.cores) {
        if (feature.from_dram)
          part_of(p).reads.push_back({uint64_t(volume(block.slice)), true, -1, 0});
        weights_[core(p)] = &block.slice;
      }
    }
  }

  // Adds an output. `first` is false for further consumers of the same output.
  void add_output(const OutputFeature& output, bool first) {
    for (const Block& block : output.blocks) {
      for (const Position p : block.cores) {
        PartPlan& part = part_of(p);
        part.writes |= output.to_dram;
        if (!first)
          continue;
        const auto weights = weights_.find(core(p));
        const auto input = inputs_.find(core(p));
        part.output_bytes += volume(block.slice);
        part.operations += volume(block.slice) * operations_per_output(
                                                     layer_,
                                                     weights == weights_.end() ? nullptr : weights->second,
                                                     input == inputs_.end() ? nullptr : input->second);
      }
    }
  }

  const SegmentOf& segment_;
  const size_t index_;
  const MappedLayer& layer_;
  LayerPlan plan_;
  std::map<uint32_t, const Slice*> weights_;
  std::map<uint32_t, const Slice*> inputs_;
};

}  // namespace

LayerPlan plan_layer(const SegmentOf& segment, size_t index, uint32_t passes) {
  return LayerPlanner(segment, index, passes).run();
}

}  // namespace lento::chip
