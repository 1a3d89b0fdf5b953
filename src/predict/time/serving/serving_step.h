// Predicts the time of one step of one serving engine.
#pragma once

#include <optional>
#include <vector>

#include "predict/time/collective.h"
#include "predict/time/serving/serving.h"

namespace lento::predict {

// The work of one step.
struct StepWork {
  double decoding = 0;        // decoding requests
  double context = 0;         // mean number of cached tokens of each
  double prompt_tokens = 0;   // prompt tokens in the step
  double prompt_context = 0;  // tokens that the last prompt token attends to
  double prompts = 0;         // number of prompts; with data attention each is on one device
};

// Seconds of the kernels of one step, as measured alone, over all layers of a pipeline stage.
struct StepParts {
  double dense = 0;      // other products, element-wise passes, output layer
  double experts = 0;    // products of routed experts
  double exchanges = 0;  // between devices
  double wires = 0;      // part of `exchanges` in which the links are busy; the rest is latency
  double decode = 0;     // attention of decoding requests
  double prompts = 0;    // attention of prompts
  double states = 0;
  double layers = 1;        // layers of a stage
  double prompt_share = 0;  // prompt tokens over all tokens
};

// Products and exchanges depend only on the number of tokens. They are timed once at powers of two and
// interpolated.
class StepTimes {
 public:
  StepTimes(const System& system, std::string_view framework, const ServingRun& run, const Engine& engine);

  StepParts parts(const StepWork& work) const;
  double seconds(const StepWork& work, const ServingConstants& constants) const;
  const System& system() const {
    return system_;
  }
  double weight_bytes() const {  // on one device
    return weight_bytes_;
  }
  // Returns the bytes on one device. When each device computes attention for its own requests
  // (Engine::attention_by_request), it is the device that holds the request.
  double cache_bytes_per_token() const {
    return cache_bytes_;
  }
  // Returns the number of devices that each hold the caches of different requests.
  int attention_groups() const {
    return engine_.attention_by_request ? engine_.tensor : 1;
  }

 private:
  double dense_seconds(double tokens, double own) const;
  double prompt_devices(const StepWork& work) const;
  double own_products_at(double tokens) const;
  double attention_products_at(const Transformer& m, double tokens) const;
  double state_at(double tokens) const;
  double shared_products_at(double tokens) const;
  double routed_products_at(double tokens) const;
  CollectiveTime exchanges_at(double tokens) const;
  void add_attention(const StepWork& work, StepParts& parts) const;
  void add_attention(const Transformer& m, double layers, const StepWork& work, StepParts& parts) const;

  System system_;
  ServingRun run_;
  Engine engine_;
  std::string framework_;
  const KernelConstants* decode_ = nullptr;
  const KernelConstants* prefill_ = nullptr;
  const KernelConstants* experts_ = nullptr;
  KernelFormat attention_format_;
  KernelFormat expert_format_;
  Precision product_ = Precision::Bf16;
  double weight_bytes_ = 0;
  double cache_bytes_ = 0;
  double layers_ = 1;  // of one stage
  // Seconds for 2^i tokens.
  std::vector<double> own_products_;  // attention's products, by tokens of the busiest device
  // All other products but those of routed experts, by tokens of all devices.
  std::vector<double> shared_products_;
  std::vector<double> routed_products_;
  std::vector<double> exchanges_;
  std::vector<double> wires_;  // part of exchanges_ in which the links are busy
};

// The engines of a run, without software costs, so that one set can be used with many constants.
struct ServingEngines {
  StepTimes decode;
  std::optional<StepTimes> prefill;
};
// Throws base::Error when a parallel degree of an engine does not divide the model's sizes.
ServingEngines prepare_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const base::Location& where);
ServingTime
predict_serving(const ServingEngines& engines, const ServingRun& run, const ServingConstants& constants);

}  // namespace lento::predict
