// Describes a transformer and lists its kernels: dense or mixture of experts, multi-head, grouped-query or
// latent attention, and hybrids with recurrent layers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "predict/time/gemm.h"

namespace lento::predict {

struct Transformer {
  // kv_heads 0 means as many as heads.
  int64_t layers = 1;
  int64_t hidden = 1;
  int64_t heads = 1;
  int64_t kv_heads = 0;
  int64_t ffn = 0;  // 0: four times hidden
  int64_t vocab = 51200;
  int64_t experts = 1;
  int64_t active_experts = 1;
  int64_t head_size = 0;   // 0: hidden / heads
  int64_t value_size = 0;  // size of a value of a head; 0: as head_size
  // Multi-head latent attention (DeepSeek-V2): queries and keys pass through products of these ranks, and the
  // cache holds kv_rank + rotary_size values per token, whatever the heads. kv_rank 0: none; query_rank 0:
  // queries are projected directly.
  int64_t kv_rank = 0;
  int64_t query_rank = 0;
  int64_t rotary_size = 0;
  int64_t shared_ffn = 0;    // summed width of the experts that every token uses
  int64_t dense_layers = 0;  // layers without experts, in a mixture of experts
  int64_t dense_ffn = 0;     // width of the dense layers
  // Layers whose attention reaches back at most `window` tokens.
  int64_t window = 0;
  int64_t window_layers = 0;
  // Heads of the layers with a window. window_heads 0: they equal those of the other layers.
  int64_t window_heads = 0;
  int64_t window_kv_heads = 0;
  int64_t window_head_size = 0;
  int64_t window_value_size = 0;
  bool keys_are_values = false;  // layers without a window use their projected keys as values
  // Sparse attention (DeepSeek-V3.2): an index of index_heads heads of index_size values scores all tokens,
  // and attention reads the index_top best. index_heads 0: none.
  int64_t index_heads = 0;
  int64_t index_size = 0;
  int64_t index_top = 0;
  // Number of layers of a hybrid with attention, and with a dense feed-forward part. -1: all layers that
  // have no state and no experts.
  int64_t attention_layers = -1;
  int64_t feed_layers = -1;
  // Layers with a recurrent state instead of attention (Mamba-2, gated delta rule). Each has a product to
  // state_columns, a recurrence over state_values per sequence, a product from state_width, and state_vectors
  // further parameters (convolution, decays).
  int64_t state_layers = 0;
  int64_t state_columns = 0;
  int64_t state_width = 0;
  int64_t state_values = 0;
  double state_vectors = 0;
  // Width of the routed experts' input; 0: hidden, else tokens are projected to it and back.
  int64_t expert_width = 0;
  bool gated_output =
      false;  // attention's result is scaled by values as wide, a part of the queries' product
  double expert_vectors = 0;    // biases of one expert
  double other_parameters = 0;  // mean per layer: norms, biases; 0: 4 hidden
  double once_parameters = 0;   // parameters outside the layers: last norm, position embeddings
  // Bits in which the weights of products are stored, and those of experts. 0: the run's precision.
  double weight_bits = 0;
  double expert_bits = 0;
  bool block_scales = false;  // weights of eight bits have a scale for each block, not one for a matrix
  std::string stored;         // name of the format in which weights are stored: "fp8"; empty: the run's
  // Precision of products with stored weights where the chip has it; none: as the number of bits leads to.
  std::optional<Precision> stored_products;
  int64_t cache_bits = 0;       // of a value in the key-value cache; 0: as the software chooses
  bool class_defaults = false;  // sizes that its config.json leaves out are those of the class
  int64_t positions = 0;        // longest sequence that the model was trained for, in tokens; 0: not given
  bool gated = false;           // SwiGLU: two products into the feed-forward layer
  bool tied = true;             // one matrix for embedding and output
  bool flash = true;            // attention in one fused kernel; otherwise scores pass through memory

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
  int64_t routed_width() const {  // width of a row that is sent to an expert
    return expert_width > 0 ? expert_width : hidden;
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
  // Returns the columns of the product that makes keys and values.
  int64_t key_value_columns() const {
    return kv() * (head() + (keys_are_values ? 0 : value()));
  }
  // Returns the tokens that a layer without a window attends to out of `context`.
  int64_t attended(int64_t context) const {
    return index_heads > 0 ? std::min(index_top, context) : context;
  }
  // Returns the all-reduces per layer under tensor parallelism, as a mean over layers: one after each part.
  double exchanges() const {
    return double(attending() + state_layers + dense_feeds() + expert_layers()) / double(layers);
  }
  int64_t query_width() const {
    return heads * head() * (gated_output ? 2 : 1);
  }
  double attention_parameters() const;  // parameters of attention's products, mean over all layers
  double expert_parameters() const;     // in one expert of one layer
  double layer_parameters(int expert_parallel = 1) const;  // of a mean layer, on one expert group
  double parameters() const;
  double active_parameters() const;  // parameters that one token uses
  double parameters_without_experts() const;
  double cache_values() const;  // cached values of one token, mean over layers
  // Return the cached values of a request of `context` tokens, and those of them that one new token reads, as
  // means over layers.
  double cache_held(double context) const;
  double cache_reads(double context) const;
  bool operator==(const Transformer&) const = default;
};

// The part of the work that one device computes.
struct Shard {
  // Sequences of a micro batch, and tokens of each, that this device computes.
  int64_t batch = 1;
  int64_t tokens = 1;
  int64_t context = 1;  // tokens that are attended to
  int tensor = 1;       // tensor-parallel ways
  int expert = 1;       // devices that experts are spread over: tensor-parallel ones first, then replicas
  bool causal = true;
  bool sequence_parallel = false;
  Precision precision = Precision::Bf16;
  // Precision of the weights' products where it differs (training in eight bits).
  std::optional<Precision> products;
  Precision product() const {
    return products.value_or(precision);
  }
};

// Returns the precision of products with weights that the model stores in `bits` (0: as computed) on this
// chip, in a run of precision `computed`. Weights are widened to 16 bits unless the checkpoint quantises
// activations too and the chip has the arithmetic.
Precision precision_of_stored(const Chip& chip, const Transformer& model, double bits, Precision computed);

// One layer's forward pass on one device.
struct LayerWork {
  std::vector<Gemm> products;
  size_t routed = SIZE_MAX;    // index of the first of the two products of routed experts
  double stream_bytes = 0;     // element-wise passes, perfectly fused
  double attention_flops = 0;  // inside fused attention
  double attention_bytes = 0;
  double exchange_bytes = 0;  // buffer of one tensor-parallel all-reduce (Transformer::exchanges)
  // Bytes moved to convert operands of 8-bit products from 16 bits, in the forward pass and for gradients.
  double cast_bytes = 0;
  double cast_backward_bytes = 0;
};

// The parts of a layer. A usual layer has attention and a feed-forward part. A layer of a hybrid may have
// only one part.
struct LayerParts {
  bool attention = true;
  bool state = false;
  bool feed = true;
};

// Returns a model whose layers are all like the dense layers of `model`, a mixture of experts.
Transformer dense_part(const Transformer& model);

// A kind of layer of a model and its share of all layers. The shares may not sum to 1 when a hybrid's layers
// are counted by their parts.
struct LayerKind {
  Transformer model;
  LayerParts parts;
  double share = 1;
};
std::vector<LayerKind> layer_kinds(const Transformer& model);

// Returns the kinds of attention in a model: without a window, and with a window. Each kind is the model with
// the heads of those layers, and its share of all attending layers.
std::vector<LayerKind> attention_kinds(const Transformer& model);

LayerWork layer_work(const Transformer& model, const Shard& shard, const LayerParts& parts = {});
Gemm head_product(const Transformer& model, const Shard& shard);

struct LayerTime3 {
  double forward_s = 0;
  double backward_s = 0;
  // Seconds of the forward pass.
  double product_s = 0;
  double attention_s = 0;
  double stream_s = 0;
  double weight_gradient_s = 0;  // part of the backward pass; absent for frozen weights
};
LayerTime3 time_layer(const System& system, const Transformer& model, const Shard& shard);

// Return the seconds of each gradient of a product C = A B: dA = dC B' and dB = A' dC.
double operand_gradient(const System& system, const Gemm& forward);
double weight_gradient(const System& system, const Gemm& forward);

// Reads a Hugging Face config.json of a decoder (Llama, Mistral, Mixtral, Qwen, GPT-2, GPT-NeoX, OPT, ... by
// their common keys). Throws base::Error that names the missing or impossible field.
Transformer transformer_from_config(const base::Json& config, const std::string& file);

// check_experts and check_transformer throw base::Error when a size is impossible. check_experts requires
// that `expert` divides the number of experts and the `devices` that hold one copy of a layer.
// check_transformer requires that the tensor and pipeline degrees divide the model.
void check_experts(const Transformer& model, int expert, int devices, const base::Location& where);
void check_transformer(const Transformer& model, int tensor, int pipeline, const base::Location& where);

}  // namespace lento::predict
