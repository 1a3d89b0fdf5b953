// Serving as events: requests arrive, wait for room in the cache, are prefilled in chunks beside those that
// decode, and leave. Prefill and decode run on one pool or on two.
//
// docs/methods/serving.md tells the model of a step and what it was fitted to.
#pragma once

#include <cstdint>
#include <string>

#include "predict/kernels/kernels.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Who asks for what.
struct Traffic {
  double per_s = 0;       // requests a second, at random times (Poisson); 0: a fixed number in flight
  int64_t together = 1;   // that number; a finished request is followed by a new one at once
  int64_t requests = 0;   // until the end; 0: ten for each in flight, of random ones an hour
  int64_t prompt = 1024;  // tokens, at most
  int64_t output = 1024;  // tokens, at most
  double shortest = 1;    // lengths are uniform between this share and all of the two
  bool at_once = false;   // all of them at the start
  uint64_t seed = 1;

  bool operator==(const Traffic&) const = default;
};

// The devices that one copy of the model runs on.
struct Engine {
  int tensor = 1;
  int pipeline = 1;
  int expert = 1;               // ways over which experts are spread, of tensor
  bool data_attention = false;  // attention by requests instead of by heads; experts are shared
  int copies = 1;               // of this engine

  int devices() const {
    return tensor * pipeline;
  }
  bool operator==(const Engine&) const = default;
};

struct ServingRun {
  Transformer model;
  Traffic traffic;
  Engine decode;
  Engine prefill;  // of a pool of its own when `two_pools`
  bool two_pools = false;
  Precision precision =
      Precision::Bf16;        // of weights; Fp4: of the experts, or of all products of a dense model
  int64_t chunk = 8192;       // tokens that one step takes at most
  int64_t most_together = 0;  // requests that one engine decodes at most; 0: as the cache holds
  double accepted = 1;        // tokens that a step yields for a request, by speculation
  int proposed = 0;           // that a step tries beyond the first

  int devices() const {
    return decode.devices() * decode.copies + (two_pools ? prefill.devices() * prefill.copies : 0);
  }
  bool operator==(const ServingRun&) const = default;
};

// What follows from no data sheet: software. Fitted to public deployments
// (share/lento/serving_constants.csv).
struct ServingConstants {
  double step_s = 1e-3;   // of the host, a step
  double layer_s = 2e-5;  // of kernels that the model does not name, a layer
  double kernels = 1.2;   // time of decoding kernels over that of each measured alone
  double prefill = 1.5;   // the same of prompts
  double first_s = 6e-2;  // of a request before its first step and after
  double skipped = 1;     // share of the exchanges between devices that hides behind nothing
  double look = 1;        // steps from one look for new requests to the next, while nothing but decoding runs
  double balance = 1;     // with data attention: steps that a prompt waits for one of each other device
  // The same of deployments of two pools, whose prompts other software deals out and hands over.
  double pool_prefill = 1.5;
  double pool_first_s = 6e-2;
};

struct Percentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
};

struct ServingTime {
  Percentiles first_token_s;
  Percentiles per_token_s;  // of a request: from its first token to its last, over those between
  Percentiles step_s;       // between two tokens of a request
  Percentiles request_s;
  double output_tokens_per_s = 0;  // of all devices
  double input_tokens_per_s = 0;
  double seconds = 0;  // simulated
  int64_t finished = 0;
  int64_t steps = 0;
  double mean_together = 0;  // requests that an engine decodes in a step
  double cache_share = 0;    // of the cache's room that is in use at most
  double memory_bytes = 0;   // of weights and cache, a device
  bool fits = false;         // weights and one request
  bool keeps_up = true;      // random arrivals do not pile up
};

// Throws base::Error when the devices do not divide the model or nothing can be served.
ServingTime predict_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const ServingConstants& constants,
    const base::Location& where = {});

ServingConstants serving_constants(const System& system, std::string_view framework);

}  // namespace lento::predict
