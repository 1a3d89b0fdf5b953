// A census of names: those that records mention without any record of their own are listed and are never
// healthy, those with a single record are not taken for machines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lento::evidence {

struct Sighting {
  std::string name;
  uint64_t records = 0;
};

// One file or stream of records, one of several that ran at the same time.
struct Stream {
  std::string name;
  int64_t last = 0;             // its last time
  int64_t longest_silence = 0;  // between two of its records
  bool closed = false;          // it holds its own end (trailer, checksum, closing bracket)
};

struct Census {
  std::vector<std::string> unseen;      // spoken of, no record
  std::vector<std::string> once;        // a single record: a name damaged in reading, or a visitor
  std::vector<std::string> unfinished;  // streams without their end
  bool complete() const {
    return unseen.empty() && unfinished.empty();
  }
};

// Names appear once in each list, sorted. `spoken_of` may repeat names. A stream is unfinished when it is not
// closed and was silent, before the median end of all, for longer than ever before.
Census take_census(
    std::span<const std::string> spoken_of,
    std::span<const Sighting> seen,
    std::span<const Stream> streams);

}  // namespace lento::evidence
