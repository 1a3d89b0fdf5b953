#include "chip/fabric/candidates.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "chip/fabric/test_program.h"

namespace lento::chip {
namespace {

using test::add_reader;
using testing::Contains;
using testing::ElementsAre;

std::vector<CandidateClass> classes_of(const Fabric& fabric, const TransferTrace& trace) {
  return candidate_classes(fabric, trace, play(fabric, trace));
}

const CandidateClass& class_of(const std::vector<CandidateClass>& classes, const std::string& member) {
  const auto found = std::ranges::find_if(classes, [&](const CandidateClass& c) {
    return std::ranges::find(c.members, member) != c.members.end();
  });
  EXPECT_NE(found, classes.end()) << member;
  return *found;
}

TEST(Candidates, WhatOneTransferPassesIsOneClassComponentsFirstLinksLast) {
  const Fabric fabric(spec::mesh_fabric(3, 1));
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {{0, 2, 0}}, 1, 1, 512);
  const auto classes = classes_of(fabric, trace);
  ASSERT_EQ(classes.size(), 1u);
  EXPECT_THAT(
      classes[0].members,
      ElementsAre("core0-0", "core2-0", "noc/in0-0", "noc/out2-0", "noc/link1-0>0-0", "noc/link2-0>1-0"));
  EXPECT_THAT(classes[0].transfers, ElementsAre(0u));
}

TEST(Candidates, ALinkIsApartWhereAnotherTransferPassesItToo) {
  const Fabric fabric(spec::mesh_fabric(3, 1));
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {{0, 2, 0}}, 1, 1, 512);
  add_reader(trace, {0, 0, 0}, {{0, 1, 0}}, 1, 1, 512);
  const auto classes = classes_of(fabric, trace);
  EXPECT_THAT(class_of(classes, "noc/link1-0>0-0").transfers, ElementsAre(0u, 1u));
  EXPECT_THAT(class_of(classes, "noc/link2-0>1-0").transfers, ElementsAre(0u));
  EXPECT_THAT(class_of(classes, "core1-0").transfers, ElementsAre(1u));
  EXPECT_THAT(class_of(classes, "core0-0").members, Contains("noc/link1-0>0-0"));
}

TEST(Candidates, DramIsItsMemoryAndCoresAreWhatTheyAskForAndHold) {
  spec::FabricSheet sheet = spec::mesh_fabric(3, 1);
  sheet.tiles[2] = spec::TileKind::Dram;
  const Fabric fabric(sheet);
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {{0, 2, 0}}, 2, 1, 512);
  add_reader(trace, {0, 1, 0}, {{0, 2, 0}}, 1, 1, 512);
  const auto classes = classes_of(fabric, trace);
  EXPECT_THAT(class_of(classes, "dram2-0").transfers, ElementsAre(0u, 1u, 2u));
  // By issue: both cores begin at once.
  EXPECT_THAT(class_of(classes, "core0-0").transfers, ElementsAre(0u, 2u));
  EXPECT_THAT(class_of(classes, "core1-0").transfers, ElementsAre(1u));
}

TEST(Candidates, ATransferWithinACoreCountsOnce) {
  const Fabric fabric(spec::mesh_fabric(2, 1));
  TransferTrace trace;
  add_reader(trace, {0, 0, 0}, {{0, 0, 0}}, 1, 1, 512);
  EXPECT_THAT(class_of(classes_of(fabric, trace), "core0-0").transfers, ElementsAre(0u));
}

TEST(Candidates, LinksBetweenChipsAreCandidates) {
  spec::FabricSheet sheet = spec::mesh_fabric(2, 1);
  spec::join_chips(sheet, 2, false);
  const Fabric fabric(sheet);
  TransferTrace trace;
  add_reader(trace, {0, 1, 0}, {{1, 0, 0}}, 1, 1, 512);
  EXPECT_THAT(class_of(classes_of(fabric, trace), "link1/0-0>0/1-0").members, Contains("chip1/core0-0"));
}

}  // namespace
}  // namespace lento::chip
