// A census of the names in a set of records. It separates names that other records mention but that have no
// record of their own, which must not be called healthy, and names with a single record, which may be
// misread and are not taken for machines.
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

// Counts the records of each name. `spoken_of` holds the names that records mention and may repeat them. The
// lists of the census are sorted and hold each name once. A stream is unfinished when it lacks its end mark,
// and the time from its last record to the median last record of all streams exceeds its longest silence.
Census take_census(
    std::span<const std::string> spoken_of,
    std::span<const Sighting> seen,
    std::span<const Stream> streams);

}  // namespace lento::evidence
