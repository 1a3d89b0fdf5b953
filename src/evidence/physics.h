// Physics of records: those that cannot be true are set aside before any detector runs.
//
// One executor (core, rank, CPU) does one thing at a time. A record ends after it begins, its stamps lie with
// the rest of the file, its rate is one that the machine has, and it is written once. A record that breaks a
// rule is set aside with the first reason that applies, in the order of `Flaw`. Nothing is tuned: what "far
// away" or "a silence" means follows from the other records. Memory is a small multiple of the records.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lento::evidence {

struct TimedRecord {
  uint32_t executor = 0;
  int64_t begin = 0;  // any unit of time, the same for all
  int64_t end = 0;
  double work = 0;      // bytes, operations: whatever `most_per_tick` counts
  uint64_t digest = 0;  // of everything else that the record holds: repeats agree in it
};

enum class Flaw : uint8_t {
  None,
  EndsBeforeItBegins,
  Repeated,    // all members equal those of an earlier record
  FarAway,     // further from all other records than they are from one another
  Impossible,  // more work in its time than `most_per_tick`, none where there must be, or no number
  Overlaps     // another record of its executor
};
constexpr size_t kFlaws = 6;
std::string_view name(Flaw flaw);  // "overlaps another record of its core"

struct PhysicsOptions {
  bool one_at_a_time = true;  // false for messages, which a link may interleave
  int64_t tolerance = 0;      // overlap that rounding of the stamps explains
  bool always_works = false;  // true where a record without work cannot be, such as operations of a core
  double most_per_tick = std::numeric_limits<double>::infinity();
  double most_set_aside = 0.05;  // a share: beyond it the file is damaged and not judged
};

struct Silence {
  int64_t begin = 0;
  int64_t end = 0;
};

struct Screening {
  std::vector<Flaw> flaw;  // of each record
  std::array<size_t, kFlaws> count{};
  double share_set_aside = 0;
  int64_t begin = 0;  // of the kept records
  int64_t end = 0;
  std::vector<Silence> gaps;  // silences that the other silences do not explain
  size_t jumps = 0;  // gaps longer than everything else together: a clock was set, or files were joined
  bool can_judge = true;
  std::string why_not;  // a sentence for the user, empty when it can be judged
};

Screening screen(std::span<const TimedRecord> records, const PhysicsOptions& options);

// Returns for each time stamp whether it lies far from the others (1) or not (0): the gap between it and the
// largest cluster of stamps is longer than that cluster. At most the share `most_share` of the stamps (0 to
// 1) is marked.
std::vector<char> far_away(std::span<const int64_t> times, double most_share);

// Returns the gaps between sorted times that are too long for chance. With n gaps, the amounts by which the
// longest sqrt(n) gaps exceed the next longest one are exponentially distributed for most distributions of
// gaps (Pickands 1975). A file without a fault yields a gap with probability `budget` at most.
std::vector<Silence> unusual_silences(std::span<const int64_t> sorted, double budget = 0.001);

}  // namespace lento::evidence
