// Predicts the gain of a fix by replaying the recording with the data of a finding moved.
#pragma once

#include <optional>

#include "memory/mine/contention.h"
#include "memory/record/recording.h"

namespace lento::memory {

// Speed-ups on the machine and on two others: a line from another core takes half and twice as long, memory
// and page tables a fifth less and a quarter more.
struct Gain {
  double usual = 1;
  double low = 1;
  double high = 1;
};

class GainPredictor {
 public:
  // Replays `recording`, which must outlive the predictor, once a machine.
  GainPredictor(const Recording& recording, uint32_t line_bytes, const CoreModel& machine);

  // Predicts the gain of moving the object's data: of the run, or where the threads of one node gain, which
  // may not be those that end last, of the time of all threads. Returns nothing when the replay took no time.
  std::optional<Gain> of(const FoundObject& object, Relayout::Kind kind) const;

 private:
  VirtualRun run(const CoreModel& model, const std::vector<Relayout>& layout) const;

  const Recording& recording_;
  const uint32_t line_bytes_;
  const std::vector<CoreModel> machines_;
  std::vector<VirtualRun> before_;  // by machine
};

}  // namespace lento::memory
