// Predicts the gain of a fix by replaying the recording with the data of a finding moved.
#pragma once

#include <array>
#include <optional>

#include "memory/mine/contention.h"
#include "memory/record/recording.h"

namespace lento::memory {

// Speed-ups by a fix. `usual` is on the given machine. `low` and `high` are the extremes of three: that
// machine, and two on which transfers between cores take 0.5 and 2 times as long, memory and page walks 0.8
// and 1.25.
struct Gain {
  double usual = 1;
  double low = 1;
  double high = 1;
};

class GainPredictor {
 public:
  // Replays `recording`, which must outlive the predictor, once per machine.
  GainPredictor(const Recording& recording, uint32_t line_bytes, const CoreModel& machine);

  // Predicts the speed-up from moving the object's data: of the run's time, or for Kind::Local of the summed
  // time of all threads, because the threads that gain may not be those that end last. Returns nothing when
  // the replay took no time. Without `polls`, loads that only wait for another value take no time, because a
  // faster run has fewer of them.
  std::optional<Gain> of(const FoundObject& object, Relayout::Kind kind, bool polls = true);

 private:
  VirtualRun run(CoreModel model, const std::vector<Relayout>& layout, bool polls) const;

  const Recording& recording_;
  const uint32_t line_bytes_;
  const std::vector<CoreModel> machines_;
  std::array<std::vector<VirtualRun>, 2> before_;  // without and with polls, by machine
};

}  // namespace lento::memory
