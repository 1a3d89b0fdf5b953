// Turns a transformer layer into matrix products, attention and element-wise passes on one device, and times
// its forward and backward passes from them.
#include "predict/time/model/transformer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "predict/time/model/divisors.h"

namespace lento::predict {
namespace {

// Values per token that element-wise kernels move in one layer's forward pass, perfectly fused, in units of
// the hidden size: two norms (read, write) and two residual additions with dropout (two reads, one write, a
// mask).
constexpr double kHiddenPasses = 2 * 2 + 2 * 3.5;
constexpr double kActivationPasses = 2;  // read and write around the feed-forward width
constexpr double kRotaryPasses = 2;      // read and write of queries and keys
// Passes over the rows that are routed to experts: sorted by expert, and back. When the experts are on other
// devices rows are sorted once more on arrival. Each pass reads and writes.
constexpr double kRoutedPasses = 2 * 2;
constexpr double kScorePasses = 4.5;     // softmax and dropout over scores when attention is not fused
constexpr double kBackwardStream = 1.7;  // backward element-wise traffic over forward

double product_s(const System& system, const Gemm& g) {
  return predict_gemm(system, g).seconds;
}

int64_t share(int64_t whole, int64_t ways) {
  return std::max<int64_t>(1, whole / std::max<int64_t>(1, ways));
}

// Bytes moved per value to convert a matrix from 16 to 8 bits: read to find the largest value, read again,
// and written once along each of the two sides that a product reduces over.
constexpr double kCastBytes = 2 + 2 + 1 + 1;

// The exponential of one attention score takes as long as multiply-adds over kSoftmaxWidth values. Attention
// of a head with `width` key and value sizes together thus takes 1 + kSoftmaxWidth / width times the time of
// its products. Its fitted share of the peak includes that factor for heads of 128 keys and 128 values.
constexpr double kSoftmaxWidth = 64;
constexpr double kUsualWidth = 256;

// With fewer tokens, expanding the keys of latent attention costs more than working on the compressed keys.
constexpr int64_t kFewTokens = 16;

constexpr double kStateBlock = 128;  // tokens; 'chunk_size' of published hybrids
constexpr double kStateBytes = 4;    // bytes of one value of a state

// Returns the number of tokens attended to, as the mean over layers with and without a window.
double seen_tokens(const Transformer& model, const Shard& s) {
  const double all = double(model.attended(s.context));
  if (model.window == 0 || model.window_layers == 0)
    return all;
  // The caller halves causal attention, but a window is attended to in full, so it is doubled here.
  const double causal = s.causal && s.tokens > 1 ? 2.0 : 1.0;
  const double near = std::min(all, causal * double(model.window));
  const double share_of_layers = double(model.window_layers) / double(model.layers);
  return all + (near - all) * share_of_layers;
}

// Adds the projections of attention (query, key, value, output) as matrix products.
void add_attention_products(const Transformer& model, const Shard& s, LayerWork& work) {
  const int64_t tokens = s.batch * s.tokens;
  const int64_t heads = share(model.heads, s.tensor);
  const int64_t kv = share(model.kv(), s.tensor);
  const auto add = [&](int64_t columns, int64_t reduction) {
    work.products.push_back({1, tokens, columns, reduction, s.product()});
  };
  if (model.kv_rank == 0) {
    add(share(model.query_width(), s.tensor) + kv * model.key_value_columns() / model.kv(), model.hidden);
    add(model.hidden, heads * model.value());
    return;
  }
  const int64_t plain = model.head() - model.rotary_size;
  // Down-projections of queries and keys, as one product.
  add(model.query_rank + model.kv_rank + model.rotary_size, model.hidden);
  add(heads * model.head(), model.query_rank > 0 ? model.query_rank : model.hidden);
  add(heads * (plain + model.value()), model.kv_rank);
  add(model.hidden, heads * model.value());
  if (model.index_heads > 0) {
    add(model.index_heads * model.index_size, model.query_rank);
    add(model.index_size + model.index_heads, model.hidden);
  }
}

// Adds the score and value products of attention, or their bytes when a fused kernel computes them.
void add_attention(const Transformer& model, const Shard& s, LayerWork& work) {
  const double size = bytes_of(s.precision);
  const int64_t heads = share(model.heads, s.tensor);
  const double causal = s.causal && s.tokens > 1 ? 0.5 : 1.0;
  if (model.flash) {
    const double seen = seen_tokens(model, s);
    // In decoding, latent attention works on the compressed cache: every head attends in the compressed
    // space.
    const bool compressed = model.kv_rank > 0 && s.tokens < kFewTokens;
    const double width = compressed ? 2.0 * double(model.kv_rank) + double(model.rotary_size)
                                    : double(model.head() + model.value());
    work.attention_flops = causal * 2.0 * double(s.batch) * double(heads) * double(s.tokens) * seen * width;
    const int64_t keys = model.kv_rank > 0 ? heads : share(model.kv(), s.tensor);
    const double cached =
        double(compressed ? model.kv_rank + model.rotary_size : keys * (model.head() + model.value()));
    work.attention_bytes =
        size * double(s.batch) * (double(heads * s.tokens * (model.head() + model.value())) + cached * seen);
    // Every rank scores every token by the index, however many tokens attention then reads.
    const double scored = double(s.batch) * double(s.context) * double(model.index_size);
    work.attention_flops += causal * 2.0 * scored * double(s.tokens) * double(model.index_heads);
    work.attention_bytes += size * scored;
    return;
  }
  work.products.push_back({s.batch * heads, s.tokens, s.context, model.head(), s.precision});
  work.products.push_back({s.batch * heads, s.tokens, model.head(), s.context, s.precision});
  work.stream_bytes +=
      kScorePasses * size * double(s.batch) * double(heads) * double(s.tokens) * double(s.context);
}

// Adds the feed-forward part: two or three products, or the experts with their router.
void add_feed_forward(const Transformer& model, const Shard& s, LayerWork& work) {
  const int64_t tokens = s.batch * s.tokens;
  const int64_t inner = share(model.inner(), s.tensor);
  const int64_t up = model.gated ? 2 * inner : inner;
  if (model.experts <= 1) {
    work.products.push_back({1, tokens, up, model.hidden, s.product()});
    work.products.push_back({1, tokens, model.hidden, inner, s.product()});
    return;
  }
  // Tokens are spread evenly over the experts, and each expert with tokens is one product of a batch.
  // Replicas that share experts send their tokens to each other.
  const int64_t width = share(model.inner(), std::max(1, s.tensor / s.expert));
  const int64_t there = tokens * std::max(1, s.expert / s.tensor);
  const int64_t chosen = std::max<int64_t>(1, there * model.active_experts / s.expert);
  const int64_t busy = std::min(share(model.experts, s.expert), chosen);
  const int64_t rows = std::max<int64_t>(1, chosen / busy);
  work.products.push_back({1, tokens, model.experts, model.hidden, s.precision});
  const int64_t hidden = model.routed_width();
  if (model.expert_width > 0) {
    work.products.push_back({1, tokens, model.expert_width, model.hidden, s.product()});
    work.products.push_back({1, tokens, model.hidden, model.expert_width, s.product()});
  }
  work.routed = work.products.size();
  work.products.push_back({busy, rows, model.gated ? 2 * width : width, hidden, s.product()});
  work.products.push_back({busy, rows, hidden, width, s.product()});
  if (model.shared_ffn > 0) {
    const int64_t shared = share(model.shared_ffn, s.tensor);
    work.products.push_back({1, tokens, model.gated ? 2 * shared : shared, model.hidden, s.product()});
    work.products.push_back({1, tokens, model.hidden, shared, s.product()});
  }
}

// Adds the work of a recurrence computed in blocks of tokens: products inside a block, and products with the
// state after the previous block. The state is read and written once for each block.
void add_state(const Transformer& model, const Shard& s, LayerWork& work) {
  const int64_t tokens = s.batch * s.tokens;
  const int64_t columns = share(model.state_columns, s.tensor);
  const int64_t width = share(model.state_width, s.tensor);
  const double values = double(share(model.state_values, s.tensor));
  work.products.push_back({1, tokens, columns, model.hidden, s.product()});
  work.products.push_back({1, tokens, model.hidden, width, s.product()});
  const double blocks = double(s.batch) * std::ceil(double(s.tokens) / kStateBlock);
  work.attention_flops +=
      double(tokens) * (4 * values + 2 * std::min<double>(kStateBlock, double(s.tokens)) * double(width));
  work.attention_bytes += bytes_of(s.precision) * double(tokens) * double(2 * columns + 2 * width) +
                          2 * kStateBytes * blocks * values;
}

// Times one layer of one kind (forward, and the two parts of the backward pass).
LayerTime3
time_kind(const System& system, const Transformer& model, const LayerParts& parts, const Shard& shard) {
  const LayerWork work = layer_work(model, shard, parts);
  LayerTime3 t;
  double backward = 0;
  for (size_t i = 0; i < work.products.size(); ++i) {
    const Gemm& g = work.products[i];
    const bool routed = i >= work.routed && i - work.routed < 2;
    const double slowed = routed ? system.stack.experts : 1;
    t.product_s += slowed * product_s(system, g);
    backward += slowed * operand_gradient(system, g);
    t.weight_gradient_s += slowed * weight_gradient(system, g);
  }
  const double pointwise = system.stack.pointwise;
  const auto streamed = [&](double bytes) {
    return predict_stream(system, bytes * pointwise, 0, shard.precision).seconds;
  };
  const double cast_s = work.cast_bytes > 0 ? streamed(work.cast_bytes) : 0;
  const double cast_backward_s = work.cast_backward_bytes > 0 ? streamed(work.cast_backward_bytes) : 0;
  const double element_wise_s = streamed(work.stream_bytes);
  t.stream_s = element_wise_s + cast_s;
  if (work.attention_flops > 0) {
    const double width = double(model.head() + model.value());
    const double softmax = (1 + kSoftmaxWidth / width) / (1 + kSoftmaxWidth / kUsualWidth);
    const double share = system.chip.constants(shard.precision).attention * system.stack.attention;
    const double peak = system.chip.peak(shard.precision) * share / softmax;
    const double memory =
        work.attention_bytes / (system.chip.memory_Bps * system.chip.constants(shard.precision).memory);
    t.attention_s = std::max(work.attention_flops / peak, memory) + system.stack.launch_s;
  }
  t.forward_s = t.product_s + t.stream_s + t.attention_s;
  t.backward_s = backward + t.weight_gradient_s + kBackwardStream * element_wise_s + cast_backward_s +
                 2.5 * t.attention_s;  // attention recomputes its scores
  return t;
}

}  // namespace

// Lists all products and bytes of a layer on one device. `parts` selects attention, state and feed-forward.
LayerWork layer_work(const Transformer& model, const Shard& s, const LayerParts& parts) {
  LayerWork work;
  const double size = bytes_of(s.precision);
  const int64_t tokens = s.batch * s.tokens;
  const int64_t heads = share(model.heads, s.tensor);
  const int64_t kv = share(model.kv(), s.tensor);
  if (parts.attention)
    add_attention_products(model, s, work);
  if (parts.feed)
    add_feed_forward(model, s, work);
  const double split = s.sequence_parallel ? s.tensor : 1;
  const double active = double(model.experts > 1 ? model.active_experts : 1);
  const double hidden =
      0.5 * kHiddenPasses * double(int{parts.attention} + int{parts.state} + int{parts.feed});
  const double inner = parts.feed ? kActivationPasses * (model.gated ? 1.5 : 1.0) * active *
                                        double(share(model.inner(), s.tensor))
                                  : 0;
  const double rotated = parts.attention ? kRotaryPasses * double((heads + kv)) * double(model.head()) : 0;
  work.stream_bytes += size * double(tokens) * (hidden * double(model.hidden) / split + inner + rotated);
  if (model.experts > 1 && parts.feed)
    work.stream_bytes += size * double(tokens) * active * double(model.routed_width()) * kRoutedPasses *
                         (s.expert > 1 ? 2 : 1);
  if (parts.attention)
    add_attention(model, s, work);
  if (parts.state)
    add_state(model, s, work);
  work.exchange_bytes = s.tensor > 1 ? size * double(tokens) * double(model.hidden) : 0;
  for (const Gemm& g : work.products) {
    if (g.precision == s.precision)
      continue;
    // Rows that are distributed over the ranks are converted to 8 bits before they are gathered.
    const double rows = kCastBytes * double(g.batch) * double(g.m);
    work.cast_bytes += rows * double(g.k) / (g.k == model.hidden ? split : 1);
    work.cast_backward_bytes += rows * double(g.n) / (g.n == model.hidden ? split : 1);
  }
  return work;
}

Gemm head_product(const Transformer& model, const Shard& s) {
  return {1, s.batch * s.tokens, share(model.vocab, s.tensor), model.hidden, s.precision};
}

double operand_gradient(const System& system, const Gemm& g) {
  return product_s(system, {g.batch, g.m, g.k, g.n, g.precision});
}

double weight_gradient(const System& system, const Gemm& g) {
  return product_s(system, {g.batch, g.k, g.n, g.m, g.precision});
}

Transformer dense_part(const Transformer& model) {
  Transformer dense = model;
  dense.experts = dense.active_experts = 1;
  dense.ffn = model.dense_ffn;
  dense.dense_layers = dense.shared_ffn = 0;
  return dense;
}

std::vector<LayerKind> attention_kinds(const Transformer& model) {
  constexpr LayerParts kAttention{true, false, false};
  Transformer wide = model;
  wide.window = wide.window_layers = wide.window_heads = 0;
  if (model.window == 0 || model.window_layers == 0)
    return {{wide, kAttention, 1}};
  Transformer near = model;
  near.window_layers = model.layers;
  near.window_heads = 0;
  if (model.window_heads > 0) {
    near.heads = model.window_heads;
    near.kv_heads = model.window_kv_heads;
    near.head_size = model.window_head_size;
    near.value_size = model.window_value_size;
    near.keys_are_values = false;
  }
  const double share = std::min(1.0, double(model.window_layers) / double(model.attending()));
  if (share == 1)
    return {{near, kAttention, 1}};
  return {{wide, kAttention, 1 - share}, {near, kAttention, share}};
}

// Returns the kinds of layers in a model and the share of each, because hybrid models mix them.
std::vector<LayerKind> layer_kinds(const Transformer& model) {
  const auto layers = double(model.layers);
  Transformer routed = model;
  routed.dense_layers = 0;
  std::vector<LayerKind> kinds;
  const auto add = [&](const Transformer& m, const LayerParts& parts, int64_t of) {
    if (of > 0)
      kinds.push_back({m, parts, double(of) / layers});
  };
  const Transformer& dense = model.experts > 1 ? dense_part(model) : model;
  if (model.window_heads > 0) {
    for (LayerKind& kind : attention_kinds(model)) {
      kind.share *= double(model.attending()) / layers;
      kinds.push_back(kind);
    }
    add(routed, {false, false, true}, model.expert_layers());
    add(dense, {false, false, true}, model.dense_feeds());
    return kinds;
  }
  if (!model.is_hybrid()) {
    add(routed, {}, model.expert_layers());
    add(dense, {}, model.layers - model.expert_layers());
    return kinds;
  }
  add(model, {true, false, false}, model.attending());
  add(model, {false, true, false}, model.state_layers);
  add(routed, {false, false, true}, model.expert_layers());
  add(dense, {false, false, true}, model.dense_feeds());
  return kinds;
}

// Times one layer, averaged over the kinds of layers in the model. Seconds.
LayerTime3 time_layer(const System& system, const Transformer& model, const Shard& shard) {
  if (!model.is_hybrid() && model.dense_layers == 0 && model.window_heads == 0)
    return time_kind(system, model, {}, shard);
  LayerTime3 mean;
  for (const LayerKind& kind : layer_kinds(model)) {
    const LayerTime3 t = time_kind(system, kind.model, kind.parts, shard);
    mean.forward_s += kind.share * t.forward_s;
    mean.backward_s += kind.share * t.backward_s;
    mean.product_s += kind.share * t.product_s;
    mean.attention_s += kind.share * t.attention_s;
    mean.stream_s += kind.share * t.stream_s;
    mean.weight_gradient_s += kind.share * t.weight_gradient_s;
  }
  return mean;
}

void check_experts(const Transformer& model, int expert, int devices, const base::Location& where) {
  if (expert == 1)
    return;
  if (model.experts % expert != 0)
    throw base::Error(
        where,
        std::to_string(model.experts) + " experts do not divide into " + std::to_string(expert) +
            " expert-parallel ways",
        model.experts > 1 ? nearest_divisors(std::gcd(model.experts, int64_t{devices}), expert)
                          : "the model has no experts: leave expert parallelism out");
  if (devices % expert != 0)
    throw base::Error(
        where,
        std::to_string(expert) + " expert-parallel ways do not divide the " + std::to_string(devices) +
            " devices of tensor, context and data parallelism",
        "expert parallelism shares these devices; " +
            nearest_divisors(std::gcd(model.experts, int64_t{devices}), expert));
}

// Chooses by the bits: four are widened to 16, eight are multiplied in fp8 where the chip can, else widened.
Precision precision_of_stored(const Chip& chip, const Transformer& model, double bits, Precision computed) {
  constexpr double kFewBits = 6;  // four bits with their scales lie below, eight bits above
  if (bits <= 0 || operand_bytes(computed).weights < 2)
    return computed;
  if (model.stored_products && chip.rate(*model.stored_products) > 0)
    return *model.stored_products;
  if (bits < kFewBits)
    return Precision::Int4Weights;
  return bits == 8 && chip.rate(Precision::Fp8) > 0 ? Precision::Fp8 : Precision::Int8Weights;
}

void check_transformer(const Transformer& model, int tensor, int pipeline, const base::Location& where) {
  base::ErrorList errors;
  if (model.head() < 1 || model.head() < model.rotary_size) {
    errors.add(
        where,
        std::to_string(model.heads) + " heads leave " + std::to_string(model.head()) +
            " values to each of a width of " + std::to_string(model.hidden),
        "choose fewer heads or a wider model");
  }
  const std::string ways =
      nearest_divisors(std::max<int64_t>(1, std::gcd(model.heads, model.inner())), std::max(1, tensor));
  if (model.heads % tensor != 0) {
    errors.add(
        where,
        std::to_string(model.heads) + " heads do not divide into " + std::to_string(tensor) +
            " tensor-parallel ways",
        "tensor parallelism divides heads and width; " + ways);
  }
  if (model.inner() % tensor != 0) {
    errors.add(
        where,
        "a feed-forward width of " + std::to_string(model.inner()) + " does not divide into " +
            std::to_string(tensor) + " ways",
        ways);
  }
  if (pipeline > model.layers) {
    errors.add(
        where,
        std::to_string(model.layers) + " layers cannot fill " + std::to_string(pipeline) + " pipeline stages",
        "use at most one stage a layer: pp=" + std::to_string(model.layers));
  }
  if (model.active_experts > model.experts) {
    errors.add(where, "more active experts than experts");
  }
  errors.throw_if_any();
}

}  // namespace lento::predict
