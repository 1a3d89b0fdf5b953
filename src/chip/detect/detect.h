// Finds in the sketch of a run the component of the chip that was slow, with the times and the factor of its
// slowness, and reports it as a Diagnosis.
//
// The input is a sketch, the chip and the expanded mapping, and never records, nor the seed, faults or random
// rates of a simulated run. Expected behaviour of the chip comes from `replay` in the options, into which the
// caller plugs a simulator. docs/methods/chip-detect.md describes the method.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chip/detect/path.h"
#include "chip/map/program.h"
#include "chip/map/twin.h"
#include "chip/sketch/sketch.h"
#include "finding/finding.h"
#include "spec/chip.h"

namespace lento::chip {

// A stretch of time in which a component was slower by one factor.
struct SlowInterval {
  // cycles
  uint64_t begin = 0;
  uint64_t end = 0;
  double factor = 1;
};

struct Suspect {
  Component component;
  std::vector<Component> alike;  // components indistinguishable from it, itself included; empty: no other
  double factor = 1;             // times slower
  uint64_t begin = 0;            // cycles
  uint64_t end = 0;              // cycles, exclusive
  std::vector<SlowInterval> slow_intervals;  // of a core, as recorded; none: one from begin to end
  double strength = 0;                       // log-likelihood ratio against a healthy chip
  double score = 0;                          // 0..1
  double lost_cycles = 0;                    // time it took from the work that passed through it
  uint64_t seen = 0;                         // records in the interval that passed through it
  std::vector<finding::Evidence> evidence;
  std::vector<Pattern> patterns;  // transfers that show it, worst first
  std::vector<int> cores;         // where each was recorded
};

// Simulates the chip with these faults (none: healthy), for as many inferences as the sketch holds. `draw`
// selects one of several seeds. Records that begin at `until` cycles or later may be left out. A Replay is
// built from any function with these three parameters, or with the first two.
class Replay {
 public:
  using Function = std::function<Sketch(const std::vector<Fault>&, uint32_t draw, uint64_t until)>;

  Replay() = default;
  template <class F>
  requires std::invocable < F&, const std::vector<Fault>
  &, uint32_t,
      uint64_t > Replay(F f)
      : simulate_(std::move(f)) {
  }
  template <class F>
  requires std::invocable < F&, const std::vector<Fault>
  &, uint32_t > Replay(F f)
      : simulate_([f = std::move(f)](const std::vector<Fault>& faults, uint32_t draw, uint64_t) mutable {
          return f(faults, draw);
        }) {
  }

  Sketch operator()(const std::vector<Fault>& faults, uint32_t draw, uint64_t until = UINT64_MAX) const {
    return simulate_(faults, draw, until);
  }
  explicit operator bool() const {
    return bool(simulate_);
  }

 private:
  Function simulate_;
};

// Returns the simulator (Replay) of a chip that differs from its file.
using ReplayOf = std::function<Replay(const Twin&)>;

struct DetectOptions {
  Replay replay;                    // none: baselines come from the unloaded path and the run itself
  const Deviations* own = nullptr;  // deviations of a fitted chip, whose rates are not corrected again
  double false_alarms = 0.005;      // expected number of false reports on a healthy run
  const Sketch* healthy = nullptr;  // a run known to be healthy, used when given
  int most_suspects = 3;            // reported at most
  int most_hypotheses = 24;         // simulated at most
  int most_together = 8;            // hypotheses that are compared with one another at a time
  int most_replays = 72;            // simulations for one component, with its corrections of factor and begin
  double most_records = 56e6;       // simulated for hypotheses in all
  uint32_t healthy_draws = 6;       // replays of the healthy chip, to know how much healthy runs differ
  uint32_t faulty_draws = 3;        // replays of the chip with the found faults, at most healthy_draws
};

struct Detection {
  std::vector<Suspect> reported;   // by falling score
  std::vector<Suspect> ranked;     // reported first, then others worth a look, at most 10
  std::vector<std::string> notes;  // what could not be judged
  std::string unjudged;            // why nothing could be judged; nothing is reported then
  std::string would_help;          // the remedy for `unjudged`; empty: the usual one
  uint64_t run_cycles = 0;
};

Detection detect(const Sketch& sketch, const spec::Chip& chip, const DetectOptions& options = {});

// Writes the Detection as a report: findings, mesh with the routes of the evidence, timeline and ranked list,
// and the parts that this mapping does not exercise.
finding::Diagnosis
diagnose(const Detection& detection, const Sketch& sketch, const spec::Chip& chip, const Program& program);

}  // namespace lento::chip
