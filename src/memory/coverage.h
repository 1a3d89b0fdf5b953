// States how much of a program a recording holds, and whether that is enough for an all-clear.
#pragma once

#include <cstdint>

#include "finding/finding.h"

namespace lento::memory {

struct Coverage {
  uint64_t stored = 0;    // accesses and locks in the recording
  uint64_t reported = 0;  // those that the compiler's hooks reported, stored or not
  // CPU time in microseconds, while accesses were stored and of the whole run. Both are 0 when the program
  // was killed.
  uint64_t seen_us = 0;
  uint64_t worked_us = 0;
  uint64_t unordered = 0;  // waits at locks or conditions whose order was not recorded
  bool in_bursts = false;
  bool is_static = false;  // linked statically: few calls of the C library are recorded
};

// Adds to a diagnosis how much of the program was recorded. Outcome "healthy" becomes "cannot judge", with
// what would help, when less than half of the accesses were stored, when all of them together could not cost
// the share `least_loss` of the time, or when the program is linked statically.
void add_coverage(const Coverage& coverage, double least_loss, finding::Diagnosis& diagnosis);

}  // namespace lento::memory
