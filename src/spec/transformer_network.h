// A transformer as the operators of one inference: prefill of a prompt, tokens decoded one by one with a
// growing cache, or an image in patches. The first dimension of every activation is the batch. It is one
// sample here, and the mapper repeats it.
#pragma once

#include <cstdint>
#include <string>

#include "spec/network.h"

namespace lento::spec {

struct TransformerShape {
  std::string name;
  int64_t layers = 1;
  int64_t hidden = 1;
  int64_t heads = 1;
  int64_t kv_heads = 1;  // divides heads
  int64_t head_size = 1;
  int64_t ffn = 1;     // width of the feed-forward layer, or of one expert
  bool gated = false;  // two products into it
  // Describes a mixture of experts. The first dense_layers have a feed-forward layer of width dense_ffn
  // instead. Every token takes active_experts experts and the shared ones.
  int64_t experts = 1;
  int64_t active_experts = 1;
  int64_t shared_ffn = 0;  // 0: none
  int64_t dense_layers = 0;
  int64_t dense_ffn = 0;
  int64_t vocab = 0;  // 0: no output head; else logits of the last token
  // Describes image models (patch > 0), in which patches and one class token are the tokens.
  int64_t image = 0;
  int64_t patch = 0;
  int64_t channels = 3;
};

struct TransformerRun {
  // Upper limits that readers enforce.
  static constexpr int64_t kMostTokens = 1 << 20;
  static constexpr int64_t kMostSteps = 1024;
  static constexpr int64_t kMostLayers = 10'000;
  static constexpr double kMostSkew = 10;

  int64_t tokens = 128;    // of the prompt; 0 of a decoder that only continues, and of images
  int64_t context = 0;     // tokens whose keys and values are cached before
  int64_t steps = 0;       // tokens decoded, each reading a cache one longer
  double expert_skew = 0;  // shares of tokens go as 1 / rank^skew; 0: balanced
  int64_t layers = 0;      // only the first so many; 0: all
};

// Returns the tokens that each expert takes, by falling rank, in shares of 1 / rank^skew. Rounding keeps the
// sum. An expert may get none.
std::vector<int64_t> expert_tokens(int64_t tokens, int64_t experts, double skew);

// Throws base::Error at `file` when the shape contradicts itself or the run has neither prompt nor steps.
Network
transformer_network(const TransformerShape& shape, const TransformerRun& run, const std::string& file);

}  // namespace lento::spec
