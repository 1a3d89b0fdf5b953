// Simulates the queue of a pool of engines that only prefill prompts.
#pragma once

#include <deque>
#include <vector>

#include "predict/time/serving/serving_step.h"

namespace lento::predict {

// Prompts queue in order of arrival. A free engine starts all waiting prompts up to one chunk per attention
// group (StepTimes::attention_groups). Prompts that start together finish together.
class PrefillPool {
 public:
  struct Prompt {
    double arrived = 0;
    double tokens = 0;
    size_t request = 0;
  };
  struct Done {
    double time = 0;  // when the first token and the cache have reached the decoder
    size_t request = 0;
  };

  // `engines` is the number of prefill engines for each decoder, of which one is simulated. Below one, the
  // engine also serves prompts of other decoders, which delay the simulated ones.
  PrefillPool(
      const StepTimes& times,
      const ServingConstants& constants,
      double chunk,
      double engines,
      double transfer_s);

  // Prompts must be submitted in order of arrival.
  void submit(const Prompt& prompt) {
    queue_.push_back(prompt);
  }
  // Returns the prompts that engines have begun by `now`, each once. They may finish later.
  std::vector<Done> begun(double now);
  // Returns when an engine begins the next prompts, or 1e300 when none waits.
  double next_begin() const;

 private:
  double seconds(size_t prompts, double tokens) const;

  const StepTimes& times_;  // must outlive the pool
  ServingConstants constants_;
  double chunk_;
  std::vector<double> free_;  // time at which each engine becomes idle
  double stretch_;            // decoders per engine, when there is less than one engine for each decoder
  double transfer_s_;
  std::deque<Prompt> queue_;
};

}  // namespace lento::predict
