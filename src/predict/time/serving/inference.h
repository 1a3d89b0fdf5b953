// Predicts serving of a transformer in a fixed batch: prefill of the prompts, then one token at a time with
// a key-value cache.
#pragma once

#include "predict/time/collective.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

struct InferenceRun {
  Transformer model;
  int64_t batch = 1;  // requests that are decoded together
  int64_t prompt = 1;
  int64_t output = 1;
  // data is the number of replicas that share the requests.
  int tensor = 1;
  int pipeline = 1;
  int data = 1;
  int expert = 1;  // devices that experts are spread over, among tensor * data
  Precision precision = Precision::Bf16;
  bool one_pass = false;  // all prompts in one forward pass, without decoding

  int devices() const {
    return tensor * pipeline * data;
  }
  bool operator==(const InferenceRun&) const = default;
};

// Bytes of serving on the device that holds the most. Weights count in the bits in which the model stores
// them, or else in the precision of the run. Experts are spread over `expert` devices, and all other weights
// over tensor and pipeline parallelism.
struct ServingMemory {
  double dense = 0;    // weights that every step reads
  double experts = 0;  // weights of routed experts
  double lookup = 0;   // embedding rows that the output does not share
  double token = 0;    // key-value cache of one token
  double request = 0;  // key-value cache of one request at its longest
  double room = 0;     // requests of one replica whose cache fits in memory with the weights; below 1: none

  double weights() const {
    return dense + experts + lookup;
  }
};
// The memory that a serving stack uses by default: `of_all` of the device's memory, and of what the weights
// leave of that `of_left` for the cache. `windowed`: layers with a window keep the tokens in it alone.
struct CacheShare {
  double of_all = 1;
  double of_left = 0.9;
  bool windowed = true;
};
// `narrow_cache`: each value of the cache has one byte.
ServingMemory serving_memory(
    const Chip& chip,
    const InferenceRun& run,
    bool narrow_cache = false,
    const CacheShare& share = {});

struct InferenceTime {
  double seconds = 0;    // until all requests are served, in rounds of those whose cache fits
  int64_t together = 1;  // requests of one replica in a round
  double first_token_s = 0;
  double per_token_s = 0;
  double tokens_per_s = 0;  // sum over all requests
  double memory_bytes = 0;
  double cache_bytes = 0;
  bool fits = false;
  std::string bound;  // resource that limits the decode step
};

InferenceTime
predict_inference(const System& system, const InferenceRun& run, const base::Location& where = {});

// Times one pass over `tokens` new tokens of each of `batch` sequences that attend to `context` tokens.
double
forward_pass_s(const System& system, const InferenceRun& run, int64_t batch, int64_t tokens, int64_t context);

}  // namespace lento::predict
