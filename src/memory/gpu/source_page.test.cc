#include "memory/gpu/source_page.h"

#include <gtest/gtest.h>

namespace lento::memory {
namespace {

KernelMemory place(const std::string& line, double instructions, Requests global, Requests shared = {}) {
  KernelMemory k;
  k.line = line;
  k.instructions = instructions;
  k.global = global;
  k.shared = shared;
  return k;
}

TEST(SourcePage, GainEndsWhereTheIssueOfInstructionsBounds) {
  PageWork work;
  work.add(place("FFMA", 400, {}));  // 100 cycles
  work.add(place("LDS R0, [R2]", 0, {}, {400, 100}));
  EXPECT_DOUBLE_EQ(work.most_gain(true), 4);  // 400 / 100 overlapped, 500 / 200 one after the other
  work.add(place("FFMA", 1200, {}));
  EXPECT_DOUBLE_EQ(work.most_gain(true), 800.0 / 500);
  EXPECT_DOUBLE_EQ(work.most_gain(false), 1);
}

TEST(SourcePage, AFewRequestsOfAComputingKernelGainNothing) {
  PageWork work;
  work.add(place("FFMA", 40'000, {}));
  work.add(place("LDG.E R0, [R8.64]", 1, {32, 4}));
  EXPECT_LT(work.most_gain(false), 1.01);
}

TEST(SourcePage, MembersOfAStructMayShareTheirSectors) {
  PageWork work;
  for (const char* line :
       {"LDG.E R0, desc[UR6][R8.64]", "LDG.E R1, desc[UR6][R8.64+0x4]", "LDG.E R3, desc[UR6][R8.64+0x8]"})
    work.add(place(line, 1, {12, 4}));
  EXPECT_GT(work.most_gain(false), 2);
  EXPECT_TRUE(work.may_share_sectors(1.5));

  PageWork other;
  for (const char* line : {"LDG.E R0, desc[UR6][R8.64]", "LDG.E R1, desc[UR6][R10.64]"})
    other.add(place(line, 1, {32, 4}));
  EXPECT_FALSE(other.may_share_sectors(1.5));
}

TEST(SourcePage, WithoutInstructionsNothingIsBounded) {
  PageWork work;
  work.add(place("a.cu:3", 0, {32, 4}));
  EXPECT_FALSE(work.counts_instructions());
  EXPECT_FALSE(work.may_share_sectors(1.5));
}

}  // namespace
}  // namespace lento::memory
