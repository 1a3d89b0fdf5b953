#include "chip/detect/alike.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

class Alike : public testing::Test {
 protected:
  const spec::Chip chip_;
  const Grid grid_{chip_};
  std::vector<Component> candidates() const {
    std::vector<Component> out;
    for (int from = 0; from < 16; ++from)
      for (const int to : {from + 1, from + 4})
        if (grid_.find_link(from, to) >= 0)
          out.push_back({Part::Link, from, to});
    for (int core = 0; core < 16; ++core)
      out.push_back({Part::Router, core});
    for (int core = 0; core < 16; ++core)
      out.push_back({Part::MemoryUnit, core});
    for (int port = 0; port < 8; ++port)
      out.push_back({Part::DramPort, port});
    return out;
  }
  std::string names(const Component& component, const std::set<Flow>& flows) const {
    return name_of(alike(component, flows, candidates(), chip_, grid_), grid_);
  }
};

// One flow from core 0 to core 2: both of its links carry it and nothing else, so do the three routers.
TEST_F(Alike, LinksInSeriesOfOneFlowAreOneSuspect) {
  const std::set<Flow> flows{{ProbeKind::Message, 2, 0}};
  EXPECT_EQ(names({Part::Link, 0, 1}, flows), "link0-1 or link1-2 or router0 or router1 or router2");
  EXPECT_EQ(names({Part::Link, 1, 2}, flows), names({Part::Link, 0, 1}, flows));
}

TEST_F(Alike, AFlowThatUsesOneOfThemTellsThemApart) {
  const std::set<Flow> flows{{ProbeKind::Message, 2, 0}, {ProbeKind::Message, 1, 0}};
  EXPECT_EQ(names({Part::Link, 0, 1}, flows), "link0-1 or router0 or router1");
  EXPECT_EQ(names({Part::Link, 1, 2}, flows), "link1-2 or router2");
}

TEST_F(Alike, APortAndTheOnlyUnitThatReadsThroughItAreOne) {
  const std::set<Flow> flows{{ProbeKind::Read, 0, grid_.port_of(0)}};
  EXPECT_EQ(names({Part::DramPort, grid_.port_of(0)}, flows), "lsu0 or dram-left-0");
}

TEST_F(Alike, CoresAndWhatNothingPassesStandAlone) {
  const std::set<Flow> flows{{ProbeKind::Message, 2, 0}};
  EXPECT_EQ(names({Part::Core, 2}, flows), "core2");
  EXPECT_EQ(names({Part::Link, 8, 9}, flows), "link8-9");
}

// Each class is what any of its members is alike with, and no component is in two.
TEST_F(Alike, ClassesPartWhatIsUsed) {
  const std::set<Flow> flows{
      {ProbeKind::Message, 2, 0},
      {ProbeKind::Message, 1, 0},
      {ProbeKind::Read, 8, grid_.port_of(8)}};
  const auto parted = classes(flows, candidates(), chip_, grid_);
  ASSERT_EQ(parted.size(), 3u);
  std::set<Component> seen;
  for (const std::vector<Component>& one : parted) {
    EXPECT_GT(one.size(), 1u);
    for (const Component& c : one) {
      EXPECT_EQ(alike(c, flows, candidates(), chip_, grid_), one);
      EXPECT_TRUE(seen.insert(c).second);
    }
  }
  EXPECT_TRUE(classes({}, candidates(), chip_, grid_).empty());
}

// The classes of two flows apart, in the order of their components whatever the order of the flows.
TEST_F(Alike, ClassesStandInOrder) {
  const std::set<Flow> flows{{ProbeKind::Message, 2, 0}, {ProbeKind::Message, 14, 12}};
  const auto parted = classes(flows, candidates(), chip_, grid_);
  ASSERT_EQ(parted.size(), 2u);
  EXPECT_EQ(parted[0][0], (Component{Part::Link, 0, 1}));
  EXPECT_EQ(parted[1][0], (Component{Part::Link, 12, 13}));
}

TEST_F(Alike, AWindowHoldsTheTransfersThatOverlapIt) {
  FlowWindow window{100, 200};
  const auto see = [&](ProbeKind kind, uint16_t core, uint64_t begin, uint64_t end) {
    ProbeRecord r;
    r.kind = kind;
    r.core = core;
    r.begin = begin;
    r.end = end;
    window.see(r);
  };
  see(ProbeKind::Message, 1, 50, 100);  // over when it opens
  see(ProbeKind::Message, 2, 200, 300);
  see(ProbeKind::Compute, 3, 120, 150);
  EXPECT_TRUE(window.flows.empty());
  see(ProbeKind::Message, 4, 50, 101);
  see(ProbeKind::Read, 5, 199, 300);
  see(ProbeKind::Write, 6, 0, 1000);
  EXPECT_EQ(window.flows.size(), 3u);
}

TEST_F(Alike, FlowsAreThoseOfTheBinsInside) {
  Cells cells{100, 4, {}};
  cells.rows.push_back({2, {ProbeKind::Message, 3, 0}, 8, 2, {{0, 0, 1}, {}, {}, {}}});
  cells.rows.push_back({5, {ProbeKind::Message, 3, 1}, 8, 2, {{}, {0, 0, 1}, {}, {}}});
  EXPECT_EQ(flows_between(cells, 50, 250).size(), 1u);  // the second bin alone lies inside
  EXPECT_EQ(flows_between(cells, 0, 250).size(), 2u);
  EXPECT_EQ(flows_between(cells, 20, 30).begin()->core, 2);
}

}  // namespace
}  // namespace lento::chip
