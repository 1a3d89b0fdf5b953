// Simulates healthy draws: healthy runs of chips that deviate at random from their file in every way that is
// not a fault. The thresholds of the verdict come from such draws.
#pragma once

#include "chip/model/dictionary.h"

namespace lento::chip {

enum class DrawnChips : uint8_t {
  LikeFile,  // the file's settings and equal parts, so that only classes and recorders deviate
  Any
};
// Simulates a chip whose classes, settings and parts deviate slightly from its file, recorded with another
// clock, a coarse timer or a recorder that loses records. The same seed gives the same draw.
std::vector<ProbeRecord>
healthy_draw(const LearnSetup& setup, uint64_t seed, DrawnChips chips = DrawnChips::Any);

}  // namespace lento::chip
