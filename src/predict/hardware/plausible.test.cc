// Sheets that were misread by a thousand, and sheets as they are shipped.
#include "predict/hardware/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lento::predict {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Plausible, EveryShippedSheetIsItself) {
  for (const System& s : shipped_systems()) {
    EXPECT_THAT(implausible_values(s), IsEmpty()) << s.name;
    EXPECT_TRUE(is_measured_chip(s)) << s.name;
  }
}

// Each value by itself, a thousand times too small and too large.
TEST(Plausible, AUnitReadAThousandTimesOffIsNamed) {
  const std::pair<const char*, double& (*)(System&)> values[] = {
      {"clock",
       [](System& s) -> double& {
         return s.chip.clock_hz;
       }},
      {"memory ",
       [](System& s) -> double& {
         return s.chip.memory_bytes;
       }},
      {"memory_bandwidth",
       [](System& s) -> double& {
         return s.chip.memory_Bps;
       }},
      {"cache",
       [](System& s) -> double& {
         return s.chip.cache_bytes;
       }},
      {"the peak of bf16",
       [](System& s) -> double& {
         return s.chip.flops_per_cycle[size_t(Precision::Bf16)];
       }},
      {"lane_bandwidth",
       [](System& s) -> double& {
         return s.network.node.lane_Bps;
       }},
      {"step_latency",
       [](System& s) -> double& {
         return s.network.node.latency_s;
       }},
      {"between_nodes", [](System& s) -> double& {
         return s.network.between_Bps;
       }}};
  for (const char* sheet : {"h100", "b200", "mi300x"}) {
    for (const auto& [name, at] : values) {
      for (const double factor : {1e-3, 1e3}) {
        System wrong = *find_shipped(sheet);
        at(wrong) *= factor;
        EXPECT_THAT(implausible_values(wrong), Contains(HasSubstr(name))) << sheet << " " << factor;
      }
    }
  }
  System wrong = *find_shipped("h100");
  wrong.chip.memory_Bps /= 1000;
  EXPECT_THAT(implausible_values(wrong), ElementsAre(HasSubstr("memory_bandwidth 3.35 GB/s")));
  EXPECT_FALSE(is_measured_chip(wrong));
}

TEST(Plausible, ASheetWithThePeaksOfSparsityIsNoLongerTheMeasuredChip) {
  System sparse = *find_shipped("h100");
  for (double& rate : sparse.chip.flops_per_cycle)
    rate *= 2;
  EXPECT_FALSE(is_measured_chip(sparse));
}

TEST(Plausible, AChangedChipIsNoLongerTheMeasuredOne) {
  System twice = *find_shipped("a100");
  twice.chip.units *= 2;
  EXPECT_THAT(implausible_values(twice), IsEmpty());
  EXPECT_FALSE(is_measured_chip(twice));
  // A chip that nobody measured has nothing to differ from.
  twice.name = twice.family = "mine";
  EXPECT_TRUE(is_measured_chip(twice));
  System capped = *find_shipped("a100");
  capped.chip.clock_hz *= 0.9;
  EXPECT_TRUE(is_measured_chip(capped));
}

}  // namespace
}  // namespace lento::predict
