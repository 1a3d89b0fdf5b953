// States how much of a program a recording holds, and whether that is enough for an all-clear.
#pragma once

#include <cstdint>

#include "finding/finding.h"

namespace lento::memory {

struct Coverage {
  uint64_t stored = 0;  // accesses and locks in the recording
  uint64_t met = 0;     // that the hooks met, stored or not
  // CPU time in microseconds, while accesses were stored and all. 0 where the program was killed.
  uint64_t seen_us = 0;
  uint64_t worked_us = 0;
  uint64_t unordered = 0;  // meetings of threads whose order was not kept
  bool in_bursts = false;
  bool is_static = false;  // few calls of the C library can be seen
};

// Adds to a diagnosis what was seen of the program. An all-clear becomes "cannot judge", with what would
// help, where less than half of the accesses were stored, or where they are so few that all of them together
// could not cost `least_loss` of the time.
void add_coverage(const Coverage& coverage, double least_loss, finding::Diagnosis& diagnosis);

}  // namespace lento::memory
