// The time of one step of one engine.
#pragma once

#include <optional>
#include <vector>

#include "predict/time/serving/serving.h"

namespace lento::predict {

// What one step does.
struct StepWork {
  double decoding = 0;        // requests
  double context = 0;         // cached tokens of one of them, mean
  double prompt_tokens = 0;   // taken from prompts
  double prompt_context = 0;  // that the last of them sees
  double prompts = 0;         // that they are of: with data attention each lies on one device
};

// Seconds of the kernels of one step, each as measured alone, all layers of a stage together.
struct StepParts {
  double dense = 0;      // products, element-wise passes, scoring
  double experts = 0;    // products of routed experts
  double exchanges = 0;  // between devices
  double decode = 0;     // attention of those that decode
  double prompts = 0;    // attention of prompts
  double states = 0;
  double layers = 1;        // of a stage
  double prompt_share = 0;  // of the tokens
};

// Products and exchanges depend on numbers of tokens alone: they are timed once at powers of two, and
// interpolated.
class StepTimes {
 public:
  StepTimes(const System& system, std::string_view framework, const ServingRun& run, const Engine& engine);

  StepParts parts(const StepWork& work) const;
  double seconds(const StepWork& work, const ServingConstants& constants) const;
  const System& system() const {
    return system_;
  }
  double weight_bytes() const {  // of a device
    return weight_bytes_;
  }
  double cache_bytes_per_token() const {  // of a device; with data attention of the device that holds it
    return cache_bytes_;
  }
  // Requests whose caches lie on different devices.
  int attention_groups() const {
    return engine_.data_attention ? engine_.tensor : 1;
  }

 private:
  double dense_seconds(double tokens, double own) const;
  double prompt_devices(const StepWork& work) const;
  double own_products_at(double tokens) const;
  double attention_products_at(double tokens) const;
  double state_at(double tokens) const;
  double shared_products_at(double tokens) const;
  double routed_products_at(double tokens) const;
  double exchanges_at(double tokens) const;
  void add_attention(const StepWork& work, StepParts& parts) const;

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
  // Seconds at 2^i tokens.
  std::vector<double> own_products_;     // of attention, by tokens of the device that has the most
  std::vector<double> shared_products_;  // of all that follows but routed experts, by tokens of all
  std::vector<double> routed_products_;
  std::vector<double> exchanges_;
};

// The engines of a run. What software costs is no part of them, so that one set serves many constants.
struct ServingEngines {
  StepTimes decode;
  std::optional<StepTimes> prefill;
};
// Throws base::Error when the devices do not divide the model.
ServingEngines prepare_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const base::Location& where);
ServingTime
predict_serving(const ServingEngines& engines, const ServingRun& run, const ServingConstants& constants);

}  // namespace lento::predict
