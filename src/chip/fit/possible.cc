#include "chip/fit/possible.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "base/rng.h"
#include "chip/fit/parts.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

double spread_of(const Fit& fit, Part part) {
  const auto at = std::ranges::find(fit.classes, part, &FittedClass::part);
  return at == fit.classes.end() ? 0 : std::log2(1 + at->spread);
}

// Of a number that is 1 give or take its class's spread before anything is seen, and known by so much after;
// octaves.
double unknown(double spread, double error) {
  return spread * error / std::hypot(spread, error);
}

// Those of one fit, made as they are asked for.
class PossibleReplays {
 public:
  PossibleReplays(Fit fit, ReplayOf replays, uint64_t seed)
      : fit_(std::move(fit)),
        replays_(std::move(replays)),
        seed_(seed),
        fitted_(replays_(fit_.twin)),
        several_(fit_.other_buffers > 0 || std::ranges::any_of(fit_.classes, [](const FittedClass& c) {
                   return c.spread > 0;
                 })) {
  }

  const Replay& of(uint32_t draw) {
    if (!several_ || draw < kFitDraws)
      return fitted_;
    const std::lock_guard lock(mutex_);
    Replay& own = others_[draw];
    if (!own)
      own = replays_(possible_twin(fit_, seed_ + draw));
    return own;
  }

 private:
  const Fit fit_;
  const ReplayOf replays_;
  const uint64_t seed_;
  const Replay fitted_;
  const bool several_;
  std::mutex mutex_;
  std::map<uint32_t, Replay> others_;
};

}  // namespace

Twin possible_twin(const Fit& fit, uint64_t seed) {
  base::Rng rng(seed, "chip.possible");
  const Grid grid(fit.twin.chip);
  Twin out = fit.twin;
  if (fit.other_buffers > 0)
    out.chip.network.buffer_segments = fit.other_buffers;
  for (const FittedPart& part : fit.parts) {
    const double spread = spread_of(fit, part.component.part);
    const double draw = rng.normal();  // of every part, so that others do not change a part's own
    if (spread > 0)
      make_slower(
          out.own,
          grid,
          part.component,
          std::exp2(draw * unknown(spread, std::log2(1 + part.error))));
  }
  return out;
}

Replay possible_replay(const Fit& fit, const ReplayOf& replays, uint64_t seed) {
  const auto all = std::make_shared<PossibleReplays>(fit, replays, seed);
  return [all](const std::vector<Fault>& faults, uint32_t draw, uint64_t until) {
    return all->of(draw)(faults, draw, until);
  };
}

}  // namespace lento::chip
