// A transformer as a list of kernels: dense or mixture of experts, multi-head or grouped-query attention.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "predict/time/gemm.h"

namespace lento::predict {

struct Transformer {
  // kv_heads 0: as many as heads
  int64_t layers = 1;
  int64_t hidden = 1;
  int64_t heads = 1;
  int64_t kv_heads = 0;
  int64_t ffn = 0;  // 0: four times hidden
  int64_t vocab = 51200;
  int64_t experts = 1;
  int64_t active_experts = 1;
  int64_t head_size = 0;   // 0: hidden / heads
  int64_t value_size = 0;  // of a value head; 0: as a head
  // Multi-head latent attention (DeepSeek-V2): queries and keys pass through products of these ranks, and the
  // cache holds kv_rank + rotary_size values a token, whatever the heads. kv_rank 0: none; query_rank 0:
  // queries direct.
  int64_t kv_rank = 0;
  int64_t query_rank = 0;
  int64_t rotary_size = 0;
  int64_t shared_ffn = 0;    // width of the experts that every token takes, together
  int64_t dense_layers = 0;  // of a mixture, layers without experts
  int64_t dense_ffn = 0;     // their width
  // layers whose tokens see so many before them
  int64_t window = 0;
  int64_t window_layers = 0;
  // Of a hybrid, how many layers attend and how many have a dense feed-forward part; -1: all that have no
  // state and no experts.
  int64_t attention_layers = -1;
  int64_t feed_layers = -1;
  // Layers that carry a state from token to token in place of attention (Mamba-2, gated delta rule): a
  // product to state_columns, a recurrence over state_values of a sequence, a product from state_width;
  // besides, state_vectors values (convolution, decays).
  int64_t state_layers = 0;
  int64_t state_columns = 0;
  int64_t state_width = 0;
  int64_t state_values = 0;
  double state_vectors = 0;
  int64_t expert_width = 0;  // what routed experts work on; 0: hidden, otherwise brought there and back
  bool gated_output =
      false;  // attention's result is scaled by values as wide, a part of the queries' product
  double expert_vectors = 0;    // biases of one expert
  double other_parameters = 0;  // of a layer on the average: norms, biases; 0: 4 hidden
  double once_parameters = 0;   // outside layers: last norm, positions
  double weight_bits = 0;  // of stored weights in products (of experts only: expert_bits); 0: as computed
  double expert_bits = 0;
  bool gated = false;  // SwiGLU: two products into the feed-forward layer
  bool tied = true;    // one matrix for embedding and output
  bool flash = true;   // attention in one fused kernel; otherwise scores pass through memory

  int64_t kv() const {
    return kv_heads > 0 ? kv_heads : heads;
  }
  int64_t head() const {
    return head_size > 0 ? head_size : hidden / heads;
  }
  int64_t inner() const {
    return ffn > 0 ? ffn : 4 * hidden;
  }
  int64_t value() const {
    return value_size > 0 ? value_size : head();
  }
  int64_t expert_layers() const {
    return experts > 1 ? layers - dense_layers : 0;
  }
  int64_t attending() const {
    return attention_layers >= 0 ? attention_layers : layers - state_layers;
  }
  int64_t dense_feeds() const {
    return feed_layers >= 0 ? feed_layers : layers - expert_layers();
  }
  bool is_hybrid() const {
    return attention_layers >= 0 || feed_layers >= 0 || state_layers > 0;
  }
  // All-reduces of a layer under tensor parallelism: one behind each part.
  double exchanges() const {
    return double(attending() + state_layers + dense_feeds() + expert_layers()) / double(layers);
  }
  int64_t query_width() const {
    return heads * head() * (gated_output ? 2 : 1);
  }
  double attention_parameters() const;                     // products of one layer's attention
  double expert_parameters() const;                        // of one expert of one layer
  double layer_parameters(int expert_parallel = 1) const;  // mean of a layer, held by one expert group
  double parameters() const;
  double active_parameters() const;  // that one token meets
  double parameters_without_experts() const;
  double cache_values() const;  // of one token in one layer
  bool operator==(const Transformer&) const = default;
};

// How the work of one device is cut.
struct Shard {
  // sequences of a micro batch and tokens of each that this device computes
  int64_t batch = 1;
  int64_t tokens = 1;
  int64_t context = 1;  // tokens attended to
  int tensor = 1;       // tensor-parallel ways
  int expert = 1;       // ways over which experts are spread: those of tensor first, then replicas
  bool causal = true;
  bool sequence_parallel = false;
  Precision precision = Precision::Bf16;
  std::optional<Precision> products;  // of the weights' products, where it differs (training in eight bits)
  Precision product() const {
    return products.value_or(precision);
  }
};

// One layer's forward pass on one device.
struct LayerWork {
  std::vector<Gemm> products;
  size_t routed = SIZE_MAX;    // which of them is the first of the two of routed experts
  double stream_bytes = 0;     // element-wise passes, perfectly fused
  double attention_flops = 0;  // inside fused attention
  double attention_bytes = 0;
  double exchange_bytes = 0;  // tensor-parallel traffic of one all-reduce; a layer does two
  // Operands of narrower products, brought to their format: of the forward pass, and of gradients.
  double cast_bytes = 0;
  double cast_backward_bytes = 0;
};

// What a layer consists of. A usual one attends, then feeds forward; hybrids have layers of one part each.
struct LayerParts {
  bool attention = true;
  bool state = false;
  bool feed = true;
};

// Of a mixture with some dense layers: the same model as dense layers only.
Transformer dense_part(const Transformer& model);

// The kinds of layers of a model, each with its share of them; shares may sum to less or more than 1 where
// layers are told in parts.
struct LayerKind {
  Transformer model;
  LayerParts parts;
  double share = 1;
};
std::vector<LayerKind> layer_kinds(const Transformer& model);

LayerWork layer_work(const Transformer& model, const Shard& shard, const LayerParts& parts = {});
Gemm head_product(const Transformer& model, const Shard& shard);

struct LayerTime3 {
  double forward_s = 0;
  double backward_s = 0;
  // of the forward pass
  double product_s = 0;
  double attention_s = 0;
  double stream_s = 0;
  double weight_gradient_s = 0;  // of the backward pass: what frozen weights leave out
};
LayerTime3 time_layer(const System& system, const Transformer& model, const Shard& shard);

// The gradients of a product C = A B: dA = dC B', dB = A' dC.
double operand_gradient(const System& system, const Gemm& forward);
double weight_gradient(const System& system, const Gemm& forward);

// A Hugging Face config.json of a decoder (Llama, Mistral, Mixtral, Qwen, GPT-2, GPT-NeoX, OPT, ... by their
// common keys). Throws base::Error naming the missing or impossible field.
Transformer transformer_from_config(const base::Json& config, const std::string& file);

// Throws base::Error when a size is impossible or the parallel ways do not divide the model.
// Throws base::Error unless `expert` ways divide the experts and the `devices` that hold one copy of a layer.
void check_experts(const Transformer& model, int expert, int devices, const base::Location& where);
void check_transformer(const Transformer& model, int tensor, int pipeline, const base::Location& where);

}  // namespace lento::predict
