// The time of one run as its kernels, its links and its software make it, and the least time that the
// hardware allows.
//
//   training  one iteration of predict_training with the stack's scalars in place of the sheet's
//   serving   N requests, B of them together as the cache holds:
//             server * N + N prompts in chunks + output * N / B steps of B requests
//             Answers of lengths that vary leave ever fewer requests behind once none waits: the last of B
//             ends after output * (ln B + 0.58) steps (the mean of the longest of B exponential lengths)
//   a step    kernels * (products + experts * experts' + attention + scores) + exchange * exchanges + layer *
//   layers + step
//             + sequence * B, the parts in brackets as fitted kernels take alone (serving_step.h)
//
// A limit is a roofline: the products at the share of the peak that the chip's best fitted library sustains,
// or the weights and the cache once through the memory at the best fitted share of its bandwidth; exchanges
// hide behind both, software costs nothing.
#pragma once

#include <optional>
#include <vector>

#include "predict/expect/software.h"
#include "predict/time/serving/inference.h"
#include "predict/time/serving/serving_step.h"
#include "predict/time/training/training.h"

namespace lento::predict {

// The time that a set of scalars leads to expect.
struct RunTime {
  double seconds = 0;
  // Shares of it that wait for what differs most between stacks and clusters, in the order of
  // SoftwareScalars.
  SoftwareScalars shares{};

  // Standard deviation of the logarithm of such runs: of sources and runs, of what the runs of a stack leave
  // unsure of its links, and of a stack that was not fitted (`stack` is null) each share's own.
  double deviation(const SoftwareSpread& spread, const Software* stack) const;
};

// A training run ready for many sets of scalars.
class TrainedWork {
 public:
  // Throws base::Error when the layout does not divide the model.
  TrainedWork(const System& system, const TrainingRun& run);

  double seconds(const SoftwareScalars& scalars) const {  // of one iteration
    return time(scalars).seconds;
  }
  TrainingTime time(const SoftwareScalars& scalars) const;
  RunTime expect(const SoftwareScalars& scalars) const;
  double limit_s() const;
  double tokens() const;

 private:
  System system_;
  TrainingRun run_;
};

// A load of requests that arrive at once.
struct ServedLoad {
  InferenceRun run;
  std::string stack;    // as the table of software spells it; empty: any
  bool varied = false;  // lengths as in conversations; false: all alike
  bool server = true;   // tokens go to clients one by one; false: one program asks and waits for all
  int64_t at_once = 0;  // the most requests that are in flight; 0: all
};

class ServedWork {
 public:
  // Throws base::Error when the layout does not divide the model.
  ServedWork(const System& system, const ServedLoad& load);

  double seconds(const SoftwareScalars& scalars) const;  // until the last token of the last request
  RunTime expect(const SoftwareScalars& scalars) const;
  double step_s(const SoftwareScalars& scalars) const;         // between two tokens of a request
  double first_token_s(const SoftwareScalars& scalars) const;  // of a request that comes alone
  double limit_s() const;
  double tokens() const;     // of answers
  double together() const {  // requests that one replica decodes
    return together_;
  }
  double memory_bytes() const;  // weights and cache of a device
  bool fits() const {
    return room_ >= 1;
  }

 private:
  // Steps of one kind, and how many of them a load takes.
  struct Steps {
    double count = 0;
    double together = 0;  // requests that decode; 0: of prompts
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
  double requests_;  // of the busiest replica
  double room_ = 0;  // requests that the cache holds
  double together_ = 1;
  double held_bytes_ = 0;   // weights of a device
  double dense_bytes_ = 0;  // of them those that each step reads, and of experts
  double expert_bytes_ = 0;
  double cache_bytes_ = 0;      // of a token, a device
  double narrowest_cache_ = 1;  // share of it that the hardware allows
  double token_flops_ = 0;      // a device
  double rate_ = 1;
  double stream_ = 1;
  Steps full_;                // as many requests as there is room for
  Steps first_;               // the prompt of a request that comes alone
  std::vector<Steps> steps_;  // of the whole load
};

}  // namespace lento::predict
