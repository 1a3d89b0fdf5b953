#include "desk/general/aligned_heads.h"

#include <gtest/gtest.h>

namespace lento::desk {
namespace {

using Names = std::vector<std::string>;

TEST(AlignedHeads, NamesOfTwoLinesAreThoseAboveTheirNumber) {
  const AlignedHead head = aligned_head(
      {"stressor       bogo ops real time  usr time", "                          (secs)    (secs)"},
      "matrix           455271     60.00   6711.10         5");
  EXPECT_TRUE(head.columns.empty());  // the last number has no name
  const AlignedHead whole = aligned_head(
      {"stressor       bogo ops real time  usr time  bogo ops/s",
       "                          (secs)    (secs)  (real time)"},
      "matrix           455271     60.00   6711.10     7587.85");
  EXPECT_EQ(
      whole.columns,
      (Names{"stressor", "bogo ops", "real time (secs)", "usr time (secs)", "bogo ops/s (real time)"}));
  EXPECT_EQ(whole.names, 1U);
  EXPECT_EQ(whole.lines, 2U);
}

TEST(AlignedHeads, NameAloneBetweenBarsIsThatOfItsGroup) {
  const AlignedHead head = aligned_head(
      {"|         |   overhead (usec)  | bandwidth (MB/s)   |",
       "|  Stage  | average | overall  | average | overall  |"},
      "Final:       22.531    22.632     17201.1   17201.2");
  EXPECT_EQ(
      head.columns,
      (Names{
          "Stage",
          "overhead (usec) average",
          "overhead (usec) overall",
          "bandwidth (MB/s) average",
          "bandwidth (MB/s) overall"}));
}

TEST(AlignedHeads, ProseAndRowsAreNoHead) {
  EXPECT_TRUE(aligned_head({"The run has ended with these numbers:"}, "row 1 2 3 4").columns.empty());
  EXPECT_TRUE(aligned_head({"first  1  2  3  4"}, "second  1  2  3  4").columns.empty());
  EXPECT_TRUE(aligned_head({}, "second  1  2  3  4").columns.empty());
}

}  // namespace
}  // namespace lento::desk
