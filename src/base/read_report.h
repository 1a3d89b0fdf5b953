// Counts the records that a reader took and those it skipped, with reasons. Every result shows the counts at
// its top. With --strict the first skip is an Error.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"

namespace lento::base {

struct ReadReport {
  uint64_t taken = 0;
  uint64_t skipped = 0;
  std::map<std::string, uint64_t> reasons;  // reason -> count
  Location first_skip;
  bool strict = false;

  // Counts skipped records. Throws base::Error instead when reading strictly.
  void skip(const Location& where, const std::string& reason, uint64_t count = 1) {
    if (strict)
      throw Error(where, reason, "run without --strict to skip and count such records");
    if (skipped == 0)
      first_skip = where;
    skipped += count;
    reasons[reason] += count;
  }
};

}  // namespace lento::base
