// Samples of many subjects on one grid, so that they can be compared at equal times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "desk/read/records.h"

namespace lento::desk {

// The samples of one quantity of one subject, by rising position: the step where samples have one, else the
// time.
struct Track {
  Subject subject;
  Clock clock = Clock::None;  // None: positions are steps
  std::vector<double> position;
  std::vector<double> value;
  std::vector<double> expected;  // NaN where the rows state none
  std::vector<Moment> time;
  std::vector<Where> where;
};

// One track a subject for each quantity of that scope. Files of one subject are joined. Own takes those of
// the job too.
struct Tracks {
  uint32_t quantity = 0;
  std::vector<Track> tracks;
};
std::vector<Tracks> tracks_of(const Records& records, Scope scope);

// "step 171", "2026-10-02 11:15:00"; "step 171 (2026-10-02 11:15:00)" where the sample there has a time too.
std::string position_text(const Track& track, double position);
// The time of the first sample at or behind a position; without a clock when it has none.
Moment moment_at(const Track& track, double position);

// "1,095 MHz", "88", with four digits.
std::string value_with_unit(double value, const Quantity& quantity);

// The slow-down from `before` to `value`: above 1 is worse. 1 when the ratio has no meaning.
double times_worse(const Quantity& quantity, double value, double before);

// The split of a series that its ranks favour (Pettitt, Applied Statistics 28, 1979): `at` is the first index
// behind the change. The chance is that of such a split in a series without one; neighbours that resemble
// each other count as fewer values.
struct Split {
  size_t at = 0;
  double chance = 1;
};
Split best_split(std::span<const double> values);

// The split with the smallest sum of distances to a level before it and one behind: ranks and medians place a
// change in the middle of what they cannot tell apart. At least one value stays on each side.
size_t split_between(std::span<const double> values, double before, double behind);

}  // namespace lento::desk
