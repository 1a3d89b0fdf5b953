// Executes one run of an evaluation in memory: simulates it with its faults, records it with one or several
// recorders and judges it by one or several methods. Every method reads the records of the same simulated
// run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chip/detect/method.h"
#include "chip/map/faults.h"
#include "chip/map/program.h"
#include "chip/model/model.h"
#include "chip/sim/simulate.h"
#include "chip/sketch/sketch.h"
#include "lab/chip/recorder.h"
#include "lab/chip/same_events.h"
#include "lab/chip/score.h"

namespace lento::chip {

struct TrialOptions {
  uint32_t inferences = 16;
  SketchOptions sketch;  // of the one recorder, when `recorders` is empty
  uint16_t most_bins = 64;
  std::vector<RecorderChoice> recorders;
  DetectOptions detect;  // its `replay` is set by the bench
  bool replay = true;
  bool model = false;     // fit the chip's model to the records before the verdict, as campaigns do
  double lost_share = 0;  // of records, dropped at random before the recorder
  uint64_t seed = 1;      // of the diagnosis, as `lento chip diagnose --seed`
};

// A workload ready to run: program expanded once, recorders sized once. Safe to use from many threads.
class PreparedWorkload {
 public:
  PreparedWorkload(
      std::string name,
      const spec::Chip& chip,
      const Mapping& mapping,
      const TrialOptions& options);

  // The recordings of one simulated run.
  struct Run {
    struct Recorded {
      Sketch sketch;
      uint64_t bytes = 0;  // of the recorder; 0: it did not fit its budget
    };
    Result result;
    std::vector<Recorded> recorded;    // by recorder
    std::vector<ProbeRecord> records;  // that the recorders took; empty: more than a model judges
    // Indexed by fault: the components that carried the same transfers in its time, which are
    // indistinguishable.
    std::vector<std::vector<Component>> classes;
    std::vector<uint64_t> apart;  // by fault: segments in its time that pass it and no other fault
    std::vector<std::pair<Edge, Edge>> edges;  // by fault: when it may have begun and ended
    // records by kind, as written by the probes
    uint64_t computes = 0;
    uint64_t messages = 0;
    uint64_t memory = 0;
  };
  Run simulate_run(const std::vector<Fault>& faults, uint64_t seed, const std::string& probes = "full") const;
  // Simulates the run on a chip that differs from its file. Recorders and methods still use the file.
  Run simulate_run_on(
      const Model& real,
      const std::vector<Fault>& faults,
      uint64_t seed,
      const std::string& probes = "full") const;
  // Returns simulations of the chip as this run would record it again, each with its own draw. Empty when the
  // recorder does not fit its budget.
  ReplayOf replays_of(const Run::Recorded& recorded, size_t recorder) const;
  // `healthy`: a healthy run of the same chip, when there is one.
  MethodResult judge_run(
      const Run& run,
      size_t recorder,
      const MethodChoice& method,
      const ReplayOf& replays,
      const Run* healthy = nullptr) const;

  // The same with the first recorder and our own method.
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

  // Operations, transfers and segments that start inside each fault, noise off. `stop` ends it early.
  std::vector<uint64_t> hits(const std::vector<Fault>& faults, const std::function<bool()>& stop = {}) const;

  const std::string& name() const {
    return name_;
  }
  const Model& model() const {
    return model_;
  }
  const std::vector<RecorderChoice>& recorders() const {
    return options_.recorders;
  }
  uint64_t sketch_bytes() const;  // of the first recorder

 private:
  std::string name_;
  TrialOptions options_;
  Program program_;
  Model model_;
  std::vector<PatternCount> patterns_;
  // Learnt from the first run that is judged.
  struct Learnt {
    std::once_flag once;
    std::shared_ptr<const ChipModel> model;
  };
  const std::shared_ptr<Learnt> learnt_ = std::make_shared<Learnt>();
};

std::vector<Claim> claims_of(const std::vector<Fault>& faults);
std::vector<Claim> claims_of(const std::vector<Suspect>& suspects);

}  // namespace lento::chip
