#include "jobs/chip_replay.h"

#include <algorithm>

#include "base/rng.h"
#include "chip/map/declared.h"

namespace lento::jobs {

uint64_t replay_seed(const chip::Sketch& judged, uint64_t seed) {
  return base::mix64(base::hash_text(chip::encode_sketch(judged)) ^ base::mix64(seed));
}

chip::Options replay_run(const chip::Sketch& judged, uint64_t seed, const base::Progress& progress) {
  chip::Options run;
  run.inferences = std::max(1u, judged.inferences());
  run.max_cycles = judged.comparable_cycles();
  run.stop = progress.stop;
  run.seed = replay_seed(judged, seed);
  return run;
}

chip::ReplayOf with_declared(chip::ReplayOf replays, const chip::Deviations& declared) {
  if (!replays || declared == chip::Deviations{})
    return replays;
  return [replays = std::move(replays), declared](const chip::Twin& twin) {
    return replays({twin.chip, combined(twin.own, declared)});
  };
}

chip::ReplayOf sketch_replays(
    const chip::Program& program,
    const chip::Sketch& judged,
    uint64_t seed,
    const base::Progress& progress) {
  std::vector<chip::SketchShape> shapes;
  for (const chip::CoreSketch& core : judged.cores())
    shapes.push_back(core.shape());
  const chip::Sketch fresh(shapes, judged.options());
  return ChipReplays<chip::Sketch>(
      program,
      replay_run(judged, seed, progress),
      fresh,
      fresh.bytes(),
      [](chip::Sketch sketch) {
        return sketch;
      });
}

}  // namespace lento::jobs
