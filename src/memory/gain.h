// What a fix would bring: the recording is replayed with the accused data moved.
#pragma once

#include <optional>

#include "memory/mine/contention.h"
#include "memory/record/recording.h"

namespace lento::memory {

// Speed-ups by machine: a line from another core takes 30 cycles (one die), 60, or 120 (another socket).
struct Gain {
  double usual = 1;
  double low = 1;
  double high = 1;
};

class GainPredictor {
 public:
  // `recording` outlives it. Replays it once a machine.
  GainPredictor(const Recording& recording, uint32_t line_bytes);

  // False sharing ends with padding, the others with a copy for each thread. Nothing when nothing was
  // replayed.
  std::optional<Gain> of(const FoundObject& object) const;

 private:
  uint64_t cycles(const CoreModel& model, const std::vector<Relayout>& layout) const;

  const Recording& recording_;
  const uint32_t line_bytes_;
  std::vector<uint64_t> before_;  // by machine
};

}  // namespace lento::memory
