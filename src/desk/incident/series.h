// Sorts the samples of each subject into a track, and finds the change point of a series.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "desk/read/records.h"

namespace lento::desk {

// The samples of one quantity of one subject in order of position, which is the number of the step when
// samples have one and else the time in seconds of `clock`.
struct Track {
  Subject subject;
  Clock clock = Clock::None;  // None: positions are steps
  std::vector<double> position;
  std::vector<double> value;
  std::vector<double> expected;  // NaN: the rows state no expectation
  std::vector<Moment> time;
  std::vector<Where> where;
};

// Returns for each quantity of the given scope one track for each subject, with the files of a subject
// joined. Scope Own includes quantities of scope Job.
struct Tracks {
  uint32_t quantity = 0;
  std::vector<Track> tracks;
};
std::vector<Tracks> tracks_of(const Records& records, Scope scope);

// Formats a position: "step 171", "2026-10-02 11:15:00", or "step 171 (2026-10-02 11:15:00)" when the sample
// has both.
std::string position_text(const Track& track, double position);
// Returns the time of the first sample at or after a position. Its clock is None when the sample has no
// time.
Moment moment_at(const Track& track, double position);

// Formats a value with four digits and its unit: "1,095 MHz", "88".
std::string value_with_unit(double value, const Quantity& quantity);

// Returns the slow-down from `before` to `value`, where above 1 is worse. 1 when the ratio is meaningless.
double times_worse(const Quantity& quantity, double value, double before);

// The most probable change point of a series by ranks (Pettitt, Applied Statistics 28, 1979). `at` is the
// first index after the change. The probability is that of such a split in a series without change, where
// correlated neighbours count as fewer values.
struct Split {
  size_t at = 0;
  double chance = 1;
};
Split best_split(std::span<const double> values);

// Returns the split with the smallest sum of distances to a level before it and a level after it. Ranks and
// medians alone place a change in the middle of an ambiguous stretch. At least one value stays on each side.
size_t split_between(std::span<const double> values, double before, double behind);

}  // namespace lento::desk
