// The data that cores hold while the layers of a sequence run: while layer i runs, a core holds its share of
// every input that i or a later layer of the segment takes from an earlier one, the output of i, and two
// sub-steps of weights. Internal to sequence.cc.
#pragma once

#include <vector>

#include "chip/map/lower/layer_graph.h"
#include "chip/map/plan/choices.h"

namespace lento::chip {

double bytes_of(const SampledPart& part, const Need& need);

// Returns whether a layer with the choice `before` takes data that cover a need of a sampled part of `after`
// to the same core.
bool takes_too(const Choice& before, const Choice& after, size_t part, const Need& need);

class HeldData {
 public:
  // `chosen` is the choice of each layer, and `readers` the layers that read each. What the arguments refer
  // to must outlive the object.
  HeldData(
      const LayerGraph& graph,
      const std::vector<std::vector<size_t>>& readers,
      std::vector<const Choice*> chosen);

  // Returns the bytes that a core holds while layer i of the segment [begin, i] runs.
  double bytes(size_t i, size_t begin) const;

 private:
  bool held_already(size_t reader, size_t part, const Need& need, size_t first) const;
  double input_bytes(size_t reader, size_t begin, size_t before) const;
  double read_input(size_t reader, size_t begin) const;
  double next_weight_bytes(size_t i) const;

  const LayerGraph& graph_;
  const std::vector<std::vector<size_t>>& readers_;
  const std::vector<const Choice*> chosen_;
};

}  // namespace lento::chip
