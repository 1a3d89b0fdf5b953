// A pool of engines that prefill only.
#pragma once

#include <deque>
#include <vector>

#include "predict/time/serving/serving_step.h"

namespace lento::predict {

// Prompts queue in order of arrival. An engine that is free takes those that wait, up to a chunk a device
// that attends to requests of its own; prompts taken together are done together.
class PrefillPool {
 public:
  struct Prompt {
    double arrived = 0;
    double tokens = 0;
    size_t request = 0;
  };
  struct Done {
    double time = 0;  // the first token is there, and the cache with the decoder
    size_t request = 0;
  };

  // `engines` for each decoder that is simulated: with fewer than one, prompts of other decoders lie between.
  PrefillPool(
      const StepTimes& times,
      const ServingConstants& constants,
      double chunk,
      double engines,
      double transfer_s);

  // In order of arrival.
  void submit(const Prompt& prompt) {
    queue_.push_back(prompt);
  }
  // Prompts that engines have begun by then, each told once. They may end later.
  std::vector<Done> begun(double now);
  // When an engine begins next; beyond any time when nothing waits.
  double next_begin() const;

 private:
  double seconds(size_t prompts, double tokens) const;

  const StepTimes& times_;  // outlives the pool
  ServingConstants constants_;
  double chunk_;
  std::vector<double> free_;  // from when each engine is idle
  double stretch_;            // when there is less than one engine for the decoder that is simulated
  double transfer_s_;
  std::deque<Prompt> queue_;
};

}  // namespace lento::predict
