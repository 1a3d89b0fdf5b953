// Predicts the gain of a fix by replaying the recording with the data of a finding moved.
#pragma once

#include <optional>

#include "memory/mine/contention.h"
#include "memory/record/recording.h"

namespace lento::memory {

// Speed-ups by machine. A line from another core takes 30 cycles (one die), 60, or 120 (another socket).
struct Gain {
  double usual = 1;
  double low = 1;
  double high = 1;
};

class GainPredictor {
 public:
  // Replays `recording`, which must outlive the predictor, once a machine.
  GainPredictor(const Recording& recording, uint32_t line_bytes);

  // Predicts the gain of moving the object's data. Returns nothing when the replay took no time.
  std::optional<Gain> of(const FoundObject& object, Relayout::Kind kind) const;

 private:
  uint64_t cycles(const CoreModel& model, const std::vector<Relayout>& layout) const;

  const Recording& recording_;
  const uint32_t line_bytes_;
  std::vector<uint64_t> before_;  // by machine
};

}  // namespace lento::memory
