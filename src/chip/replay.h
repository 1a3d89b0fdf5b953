// Simulates hypotheses for a chip detector: a function from slow components to the sketch that a run with
// them would leave. The healthy run of each chip and each seed number (`draw`) is simulated once with
// checkpoints (chip/sim/checkpointed_run.h), so that a hypothesis costs only the time after its begin.
//
// The seeds are derived from the bytes of the judged sketch. Different runs are therefore judged with
// different noise, and the same run always with the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/progress.h"
#include "chip/detect/detect.h"
#include "chip/sim/checkpointed_run.h"

namespace lento::chip {

// Returns the seed of simulation number 0 in judging this sketch: a hash of its bytes and of `seed`.
// Simulation number n adds n.
uint64_t replay_seed(const Sketch& judged, uint64_t seed);

// Returns the options of a run with as many inferences as the sketch holds, limited to
// Sketch::comparable_cycles().
Options replay_run(const Sketch& judged, uint64_t seed, const base::Progress& progress);

// Makes the simulator (Replay) of a chip, and caches the checkpointed healthy runs of the most recent chips
// by seed number. `Recording` is as in CheckpointedRun, `bytes` is the size of one, and `sketch_of` converts
// one to a sketch. The program must outlive the result, which is thread-safe.
template <class Recording>
class ChipReplays {
 public:
  using SketchOf = std::function<Sketch(Recording)>;

  ChipReplays(const Program& program, Options run, Recording fresh, uint64_t bytes, SketchOf sketch_of)
      : shared_(std::make_shared<Shared>(
            program,
            std::move(run),
            std::move(fresh),
            bytes,
            std::move(sketch_of))) {
  }

  Replay operator()(const Twin& twin) const {
    return [shared = shared_,
            draws = shared_->draws_of(twin)](const std::vector<Fault>& guess, uint32_t draw, uint64_t until) {
      return shared->replay(*draws, guess, draw, until);
    };
  }

 private:
  static constexpr size_t kMostTwins = 3;  // cached twins; the states of one take tens of megabytes

  struct Draw {
    std::once_flag once;
    std::unique_ptr<const CheckpointedRun<Recording>> checkpointed;
  };
  struct Draws {
    Draws(const Twin& of_twin, const Program& program)
        : model(of_twin.chip, program, of_twin.own),
          key(spec::write_chip(of_twin.chip)) {
    }
    Draw& operator[](uint32_t draw) {
      const std::lock_guard lock(mutex);
      return by_number[draw];
    }
    const Model model;
    const std::string key;
    std::mutex mutex;
    std::map<uint32_t, Draw> by_number;
  };

  struct Shared {
    Shared(const Program& of_program, Options of_run, Recording nothing, uint64_t each, SketchOf of)
        : program(of_program),
          run(std::move(of_run)),
          fresh(std::move(nothing)),
          bytes(each),
          sketch_of(std::move(of)) {
    }

    const Program& program;
    const Options run;
    const Recording fresh;
    const uint64_t bytes;
    const SketchOf sketch_of;
    std::mutex mutex;
    std::list<std::shared_ptr<Draws>> twins;  // most recently used first

    std::shared_ptr<Draws> draws_of(const Twin& twin) {
      const std::lock_guard lock(mutex);
      const std::string key = spec::write_chip(twin.chip);
      for (const std::shared_ptr<Draws>& known : twins)
        if (known->key == key && known->model.own == twin.own)
          return known;
      twins.push_front(std::make_shared<Draws>(twin, program));
      if (twins.size() > kMostTwins)
        twins.pop_back();
      return twins.front();
    }

    Sketch replay(Draws& draws, const std::vector<Fault>& guess, uint32_t number, uint64_t until) const {
      Draw& draw = draws[number];
      std::call_once(draw.once, [&] {
        Options options = run;
        options.seed += number;
        draw.checkpointed = std::make_unique<CheckpointedRun<Recording>>(
            draws.model,
            options,
            fresh,
            affordable_checkpoints(bytes));
      });
      Sketch out = sketch_of(
          guess.empty() ? draw.checkpointed->healthy()
                        : draw.checkpointed->run(guess, std::min(run.max_cycles, until)));
      if (run.stop && run.stop())
        throw base::Error({}, "interrupted");
      return out;
    }
  };

  std::shared_ptr<Shared> shared_;
};

// Returns the function that simulates by `replays` a chip whose parts deviate by `declared` besides the
// twin's own deviations.
ReplayOf with_declared(ReplayOf replays, const Deviations& declared);

// Returns simulators whose sketches have the capacities and options of the judged sketch.
ReplayOf
sketch_replays(const Program& program, const Sketch& judged, uint64_t seed, const base::Progress& progress);

}  // namespace lento::chip
