// The simulator as a chip detector wants it: a function from hypotheses to the sketch that they would leave.
// Each draw of each twin is simulated once and remembered at several moments (chip/sim/checkpointed_run.h),
// so that a hypothesis costs only the time after its beginning.
//
// Draws belong to the run that is judged: their seeds follow from the bytes of its sketch, so that two runs
// are never judged by the same noise, and the same run always by the same one.
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

// Where the draws for judging this sketch begin.
uint64_t replay_seed(const Sketch& judged, uint64_t seed);

// As many inferences as the sketch holds, as long as is worth laying beside it.
Options replay_run(const Sketch& judged, uint64_t seed, const base::Progress& progress);

// `Recording` as in CheckpointedRun; `bytes` is what one takes; `sketch_of` turns one into a sketch.
// The program must outlive what is returned, which may be called from several threads.
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
  static constexpr size_t kMostTwins = 3;  // remembered; the states of one are tens of megabytes

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
    std::list<std::shared_ptr<Draws>> twins;  // the latest first

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

// The same, of twins that deviate from a chip whose parts are declared unequal.
ReplayOf with_declared(ReplayOf replays, const Deviations& declared);

// Of a sketch recorded as it is: the same shapes and options.
ReplayOf
sketch_replays(const Program& program, const Sketch& judged, uint64_t seed, const base::Progress& progress);

}  // namespace lento::chip
