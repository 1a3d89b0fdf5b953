#include "lab/chip/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lento::chip {
namespace {

using testing::ElementsAre;

Fault slow(const Grid& grid, const Component& component) {
  Fault f = fault_of(component, grid);
  f.factor = 3;
  f.begin = 100;
  f.end = 200;
  return f;
}

ProbeRecord record(ProbeKind kind, uint16_t core, uint16_t peer, uint64_t begin, uint64_t work = 1) {
  ProbeRecord r;
  r.kind = kind;
  r.core = core;
  r.peer = peer;
  r.begin = begin;
  r.end = begin + 10;
  r.work = work;
  return r;
}

// A row of the 4x4 chip: 0 - 1 - 2 - 3. What passes both slow links shows neither alone.
TEST(ApartEvents, CountsWhatPassesOneFaultOnly) {
  const spec::Chip chip;
  const Grid grid(chip);
  const std::vector<Fault> faults{
      slow(grid, {Part::Link, 0, 1}),
      slow(grid, {Part::Link, 1, 2}),
      slow(grid, {Part::Core, 3})};
  ApartEvents events(faults, chip, grid);
  const auto segment = uint64_t(chip.network.segment_bytes);
  events.see(record(ProbeKind::Message, 1, 0, 150, 2 * segment + 1));
  EXPECT_THAT(events.counts(), ElementsAre(3u, 0u, 0u));
  events.see(record(ProbeKind::Message, 2, 0, 150));
  EXPECT_THAT(events.counts(), ElementsAre(3u, 0u, 0u));
  events.see(record(ProbeKind::Message, 2, 1, 150));
  events.see(record(ProbeKind::Compute, 3, 0, 150, 1 << 20));
  events.see(record(ProbeKind::Compute, 2, 0, 150, 1 << 20));
  EXPECT_THAT(events.counts(), ElementsAre(3u, 1u, 1u));
}

TEST(ApartEvents, CountsWhatIsUnderWayInItsTime) {
  const spec::Chip chip;
  const Grid grid(chip);
  const std::vector<Fault> faults{slow(grid, {Part::Link, 0, 1}), slow(grid, {Part::Core, 3})};
  ApartEvents events(faults, chip, grid);
  for (const uint64_t begin : {90, 200})  // the first ends as the fault begins
    events.see(record(ProbeKind::Message, 1, 0, begin));
  EXPECT_THAT(events.counts(), ElementsAre(0u, 0u));
  for (const uint64_t begin : {91, 199})
    events.see(record(ProbeKind::Message, 1, 0, begin));
  EXPECT_THAT(events.counts(), ElementsAre(2u, 0u));
}

}  // namespace
}  // namespace lento::chip
