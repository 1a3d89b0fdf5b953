// One run of an evaluation: simulate with faults, record into a sketch, judge it, all in memory.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "chip/detect/detect.h"
#include "chip/evaluate/score.h"
#include "chip/map/faults.h"
#include "chip/map/program.h"
#include "chip/sim/simulate.h"
#include "chip/sketch/sketch.h"

namespace lento::chip {

struct TrialOptions {
  uint32_t inferences = 16;
  SketchOptions sketch;
  uint16_t most_bins = 64;
  DetectOptions detect;  // its `replay` is set by the bench
  bool replay = true;
  double lost_share = 0;          // of records, dropped at random before the recorder
  uint64_t replay_seed = 0x5eed;  // of hypothesis replays: never the seed of a trial
};

// A workload ready to run: program expanded once, recorder sized once, healthy replay made once. Safe to use
// from many threads.
class Bench {
 public:
  Bench(std::string name, const spec::Chip& chip, const Mapping& mapping, const TrialOptions& options);

  struct Outcome {
    Detection detection;
    std::vector<Claim> truth;
    uint64_t run_cycles = 0;
    uint64_t records = 0;
    uint64_t sketch_bytes = 0;
    bool strict = false;
  };
  Outcome run(const std::vector<Fault>& faults, uint64_t seed) const;
  Sketch record(const std::vector<Fault>& faults, uint64_t seed, Result* result = nullptr) const;

  // Operations, transfers and segments that start inside each fault, noise off.
  std::vector<uint64_t> hits(const std::vector<Fault>& faults) const;

  const std::string& name() const { return name_; }
  const Model& model() const { return model_; }
  uint64_t sketch_bytes() const;

 private:
  const std::vector<Sketch>& healthy() const;

  std::string name_;
  TrialOptions options_;
  Program program_;
  Model model_;
  std::vector<SketchShape> shapes_;
  mutable std::once_flag healthy_once_;
  mutable std::vector<Sketch> healthy_;
};

std::vector<Claim> claims_of(const std::vector<Fault>& faults);
std::vector<Claim> claims_of(const std::vector<Suspect>& suspects);

}  // namespace lento::chip
