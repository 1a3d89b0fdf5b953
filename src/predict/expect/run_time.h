// Times one run from its kernels, its links and its software, and bounds it from below by what the hardware
// allows.
//
//   training  one iteration of predict_training with the stack's scalars in place of the sheet's
//   serving   N requests, B of them together as the cache holds:
//             server * N + N prompts in chunks + output * N / B steps of B requests
//             Where answer lengths vary and no request waits any more, fewer and fewer run: the last of B
//             ends after output * (ln B + 0.58) steps (the mean of the longest of B exponential lengths)
//   a step    kernels * (products + experts * experts' + attention + scores) + wires + exchange * waits
//             + layer * layers + (step + sequence * B) / scheduled
//             The parts in brackets are times of fitted kernels that run alone (serving_step.h), `wires` is
//             the time in which links are busy, `waits` the latency of the exchanges, and `scheduled` the
//             number of decode steps that the host schedules at once
//
// A limit is a roofline: the longer of the products at the share of the peak that the chip's best fitted
// library sustains, and of reading weights and cache once at the best fitted share of the memory bandwidth.
// Exchanges overlap with both, and software costs no time.
#pragma once

#include <optional>
#include <vector>

#include "predict/expect/software.h"
#include "predict/time/serving/inference.h"
#include "predict/time/serving/serving_step.h"
#include "predict/time/training/training.h"

namespace lento::predict {

// Returns the system with these scalars of the software in place of those of its data sheet.
System with_scalars(const System& system, const SoftwareScalars& scalars);
// Times one iteration on a system that with_scalars returned.
TrainingTime time_training(const System& scaled, const TrainingRun& run, const SoftwareScalars& scalars);

// A training run whose kernels are timed once, to be evaluated with many sets of scalars.
class TrainedWork {
 public:
  // Throws base::Error when a parallel degree does not divide the model's sizes.
  TrainedWork(const System& system, const TrainingRun& run);

  double seconds(const SoftwareScalars& scalars) const {  // of one iteration
    return time(scalars).seconds;
  }
  TrainingTime time(const SoftwareScalars& scalars) const;
  double limit_s() const;
  double tokens() const;

 private:
  System system_;
  TrainingRun run_;
};

// A load of requests that all arrive at the start.
struct ServedLoad {
  InferenceRun run;
  std::string stack;       // as the table of software spells it; empty: unknown
  bool varied = false;     // lengths vary as in conversations; false: all lengths are equal
  bool server = true;      // tokens are streamed to clients; false: an offline batch
  int64_t cache_bits = 0;  // of a value in the key-value cache; 0: as the stack stores it by default
  int64_t at_once = 0;     // most requests in flight; 0: no limit
  int64_t scheduled = 1;   // decode steps that the host schedules at once (vLLM 0.6: num_scheduler_steps)
};

class ServedWork {
 public:
  // Throws base::Error when a parallel degree does not divide the model's sizes.
  ServedWork(const System& system, const ServedLoad& load);

  double seconds(const SoftwareScalars& scalars) const;        // until the last token of the last request
  double step_s(const SoftwareScalars& scalars) const;         // between two tokens of a request
  double first_token_s(const SoftwareScalars& scalars) const;  // until a first request has its first token
  // Returns the time until the last request has its first token. Its prompt waits for all other prompts, and
  // for the rounds of requests that do not fit in the cache with it.
  double last_first_token_s(const SoftwareScalars& scalars) const;
  double limit_s() const;
  double tokens() const;     // of all answers
  double together() const {  // requests that one replica decodes in a step
    return together_;
  }
  double requests() const {  // that the busiest replica serves
    return requests_;
  }
  double memory_bytes() const;  // weights and key-value cache on one device
  bool fits() const {
    return memory_.room >= 1;
  }

 private:
  // A group of equal engine steps and their number in the load.
  struct Steps {
    double count = 0;
    double together = 0;  // requests that decode; 0: the step takes prompts
    StepParts parts;
  };
  double step_seconds(const Steps& steps, const SoftwareScalars& scalars) const;
  double weights_read(double together) const;
  Steps decoding(const StepTimes& times, double count, double together) const;
  Steps prompts(const StepTimes& times, double requests) const;
  void plan(const StepTimes& times);

  System system_;
  InferenceRun run_;
  bool varied_;
  bool server_;
  double scheduled_;
  double requests_;  // that the busiest replica serves
  double together_ = 1;
  ServingMemory memory_;
  // Smallest cache format that the hardware supports, as a share of the format in use.
  double narrowest_cache_ = 1;
  double token_flops_ = 0;  // operations per token on one device
  double rate_ = 1;
  double stream_ = 1;
  Steps full_;                // decode steps with as many requests as fit
  std::vector<Steps> steps_;  // all steps of the load
};

}  // namespace lento::predict
