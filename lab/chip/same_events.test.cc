#include "lab/chip/same_events.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

class SameEventsTest : public testing::Test {
 protected:
  SameEventsTest()
      : grid_(chip_) {
    Fault f = fault_of({Part::Link, 0, 1}, grid_);
    f.begin = 100;
    f.end = 200;
    faults_.push_back(f);
  }

  // What remains of the fault for a claim of [begin, end) after these transfers over the link.
  std::pair<uint64_t, uint64_t>
  remains(std::vector<std::pair<uint64_t, uint64_t>> transfers, uint64_t begin, uint64_t end) const {
    SameEvents events(faults_, chip_, grid_);
    for (const auto& [from, to] : transfers) {
      ProbeRecord r;
      r.kind = ProbeKind::Message;
      r.core = 1;
      r.peer = 0;
      r.begin = from;
      r.end = to;
      r.work = 1;
      events.see(r);
    }
    const Claim claim{component_of(faults_[0]), begin, end};
    const Claim truth = nearest_to({component_of(faults_[0]), 100, 200}, events.edges()[0], claim);
    return {truth.begin, truth.end};
  }

  const spec::Chip chip_;
  const Grid grid_;
  std::vector<Fault> faults_;
};

using Times = std::pair<uint64_t, uint64_t>;

TEST_F(SameEventsTest, IdleStretchesAroundAnEdgeTellNothing) {
  const std::vector<Times> transfers{{10, 60}, {120, 180}, {240, 300}};
  EXPECT_EQ(remains(transfers, 80, 220), Times(80, 220));
  EXPECT_EQ(remains(transfers, 20, 290), Times(60, 240));
  EXPECT_EQ(remains(transfers, 130, 150), Times(120, 180));
}

TEST_F(SameEventsTest, WhatIsUnderWayAtAnEdgePinsIt) {
  const std::vector<Times> transfers{{90, 110}, {120, 180}, {199, 201}};
  EXPECT_EQ(remains(transfers, 80, 220), Times(100, 200));
}

TEST_F(SameEventsTest, WhatStartsOrEndsAtAnEdgeBoundsIt) {
  const std::vector<Times> transfers{{90, 100}, {100, 200}, {200, 250}};
  EXPECT_EQ(remains(transfers, 80, 220), Times(100, 200));
}

TEST_F(SameEventsTest, OtherLinksTellNothing) {
  SameEvents events(faults_, chip_, grid_);
  ProbeRecord r;
  r.kind = ProbeKind::Message;
  r.core = 3;
  r.peer = 2;
  r.begin = 90;
  r.end = 110;
  events.see(r);
  EXPECT_FALSE(events.edges()[0].first.busy);
  EXPECT_EQ(events.edges()[0].first.nearest(7), 7u);
}

}  // namespace
}  // namespace lento::chip
