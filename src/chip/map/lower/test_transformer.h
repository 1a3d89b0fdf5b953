// A transformer of one small layer for tests of what rewrites its graph, and the work that must stay the
// same.
#pragma once

#include <utility>

#include "chip/map/lower/layer_graph.h"
#include "spec/transformer_network.h"

namespace lento::chip::test {

// Returns the graph of the transformer. With `kv_heads` below 4, keys and values are narrower than the rows
// that they are made from.
inline LayerGraph small_transformer(bool gated, int64_t kv_heads = 4, int64_t experts = 1) {
  spec::TransformerShape m;
  m.hidden = 64;
  m.heads = 4;
  m.kv_heads = kv_heads;
  m.head_size = 16;
  m.ffn = 192;
  m.gated = gated;
  m.experts = experts;
  spec::TransformerRun run;
  run.tokens = 24;
  return lower(spec::transformer_network(m, run, "config.json"), "config.json");
}

// Returns the number of multiplications by weights, and the number of weights, over all layers with weights
// from DRAM.
inline std::pair<int64_t, int64_t> work(const LayerGraph& graph) {
  int64_t products = 0;
  int64_t weights = 0;
  for (const Layer& layer : graph.layers) {
    if (layer.depth == 0 || !layer.weights_from_dram)
      continue;
    const Extents& e = layer.layout.extents;
    products += e[0] * e[1] * e[2] * operations_per_output(layer);
    weights += weight_elements(layer, e[0]);
  }
  return {products, weights};
}

}  // namespace lento::chip::test
