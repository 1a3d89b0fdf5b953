// Checks whether a sketch can come from a run of this mapping: every recorded pattern must be one that the
// mapping plans. Otherwise a verdict would be meaningless.
#pragma once

#include <string>
#include <vector>

#include "chip/map/grid.h"
#include "chip/map/program.h"
#include "chip/sketch/sketch.h"
#include "spec/chip.h"

namespace lento::chip {

struct Belonging {
  int entries = 0;      // patterns that the sketch holds
  size_t patterns = 0;  // patterns that the mapping makes
  int strange = 0;      // entries that are not planned, or with more records or other sizes than planned
  std::vector<std::string> examples;  // of strange ones, three at most, in words
  uint64_t planned = 0;               // records of as many inferences as were begun
  uint64_t recorded = 0;
  std::vector<size_t> unseen;  // cores of which fewer than kLeastRecorded of the planned records came
  bool belongs() const;
  double share() const;     // share of the planned records that were recorded
  std::string gap() const;  // why too little was recorded to call the chip healthy; empty: enough was
};

// Returns the records of a pattern on a core in words, such as "messages from core 7 on core 0".
std::string words_of(const Pattern& pattern, size_t core, const Grid& grid);

// Compares a sketch with the patterns that a mapping plans. Lost records, a run that was cut short and faults
// add no pattern, so patterns that are not planned come from another program.
Belonging belonging_of(const Sketch& sketch, const Program& program, const spec::Chip& chip);

}  // namespace lento::chip
