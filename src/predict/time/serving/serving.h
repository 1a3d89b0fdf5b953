// Simulates serving event by event: requests arrive, wait for room in the key-value cache, are prefilled in
// chunks next to decoding requests, and leave. Prefill and decode run on one pool of devices or on two.
//
// docs/methods/serving.md describes the model of a step and the data it was fitted to.
#pragma once

#include <cstdint>
#include <string>

#include "predict/kernels/kernels.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// The load: the arrival of requests and their lengths.
struct Traffic {
  double per_s = 0;       // random arrivals per second; 0: `together` requests are in flight
  int64_t together = 1;   // requests in flight when per_s is 0; a finished request is replaced at once
  int64_t requests = 0;   // number to simulate; 0: ten for each in flight, or one hour of random arrivals
  int64_t prompt = 1024;  // tokens, at most
  int64_t output = 1024;  // tokens, at most
  double shortest = 1;    // lengths are uniform between this share of `prompt` and `output` and the whole
  bool at_once = false;   // all requests arrive at the start
  uint64_t seed = 1;

  bool operator==(const Traffic&) const = default;
};

// The devices that hold one copy of the model.
struct Engine {
  int tensor = 1;
  int pipeline = 1;
  int expert = 1;  // devices that experts are spread over, among `tensor`
  // Each device computes attention for its own requests instead of its own heads. Experts are shared.
  bool attention_by_request = false;
  int copies = 1;  // number of such engines

  int devices() const {
    return tensor * pipeline;
  }
  bool operator==(const Engine&) const = default;
};

struct ServingRun {
  Transformer model;
  Traffic traffic;
  Engine decode;
  Engine prefill;  // a separate pool when `two_pools`
  bool two_pools = false;
  Precision precision =
      Precision::Bf16;        // of weights; Fp4 applies to experts, or to all products of a dense model
  bool wide_cache = false;    // the cache has 16 bits even when the weights have fewer
  int64_t chunk = 8192;       // most tokens of one step
  int64_t most_together = 0;  // most requests that one engine decodes; 0: as many as the cache holds
  double accepted = 1;        // tokens that speculation yields per request and step
  int proposed = 0;           // tokens that speculation proposes per step beyond the first

  int devices() const {
    return decode.devices() * decode.copies + (two_pools ? prefill.devices() * prefill.copies : 0);
  }
  bool operator==(const ServingRun&) const = default;
};

// Scalars of serving software, which no data sheet gives. Fitted to public deployments
// (share/lento/serving_constants.csv).
struct ServingConstants {
  double step_s = 1e-3;   // of the host, per step
  double layer_s = 2e-5;  // of kernels outside the model, per layer
  double kernels = 1.2;   // time of decode kernels over that of the same kernels measured alone
  double prefill = 1.5;   // the same for kernels of prompts
  double first_s = 6e-2;  // of a request, outside its steps: before the first one and after the last one
  double skipped = 1;     // share of the exchanges between devices that overlaps with nothing
  double look = 1;        // steps between two checks for new requests, while all requests decode
  // Only with Engine::attention_by_request: the most steps for which a prompt waits until each other device
  // has a prompt too.
  double balance = 1;
  // prefill and first_s of deployments with two pools, where other software distributes the prompts and sends
  // the cache to the decoders.
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
  Percentiles per_token_s;  // per request: time from its first to its last token over the tokens between
  Percentiles step_s;       // between two tokens of a request
  Percentiles request_s;
  double output_tokens_per_s = 0;  // sum over all devices
  double input_tokens_per_s = 0;
  double seconds = 0;  // simulated time
  int64_t finished = 0;
  int64_t steps = 0;
  double mean_together = 0;  // mean number of requests that an engine decodes in a step
  double cache_share = 0;    // largest share of the cache in use
  double memory_bytes = 0;   // weights and cache on one device
  bool fits = false;         // weights and the cache of one request fit
  bool keeps_up = true;      // with random arrivals: the queue does not grow without end
};

// Simulates the run. Throws base::Error when a parallel degree does not divide the model's sizes, or when no
// request can be served.
ServingTime predict_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const ServingConstants& constants,
    const base::Location& where = {});

ServingConstants serving_constants(const System& system, std::string_view framework);

}  // namespace lento::predict
