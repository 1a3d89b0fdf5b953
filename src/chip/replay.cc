// Simulates twins with faults by checkpointed runs, caches the most recent twins, and derives the seeds from
// the judged sketch.
#include "chip/replay.h"

#include <algorithm>

#include "base/rng.h"
#include "chip/map/file/declared.h"

namespace lento::chip {

uint64_t replay_seed(const Sketch& judged, uint64_t seed) {
  return base::mix64(base::hash_text(encode_sketch(judged)) ^ base::mix64(seed));
}

Options replay_run(const Sketch& judged, uint64_t seed, const base::Progress& progress) {
  Options run;
  run.inferences = std::max(1u, judged.inferences());
  run.max_cycles = judged.comparable_cycles();
  run.stop = progress.stop;
  run.seed = replay_seed(judged, seed);
  return run;
}

ReplayOf with_declared(ReplayOf replays, const Deviations& declared) {
  if (!replays || declared == Deviations{})
    return replays;
  return [replays = std::move(replays), declared](const Twin& twin) {
    return replays({twin.chip, combined(twin.own, declared)});
  };
}

// Returns a function that simulates the program with given faults and sketches the result.
ReplayOf
sketch_replays(const Program& program, const Sketch& judged, uint64_t seed, const base::Progress& progress) {
  std::vector<SketchShape> shapes;
  for (const CoreSketch& core : judged.cores())
    shapes.push_back(core.shape());
  const Sketch fresh(shapes, judged.options());
  return ChipReplays<Sketch>(
      program,
      replay_run(judged, seed, progress),
      fresh,
      fresh.bytes(),
      [](Sketch sketch) {
        return sketch;
      });
}

}  // namespace lento::chip
