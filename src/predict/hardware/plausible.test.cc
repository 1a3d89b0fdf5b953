// Sheets that were misread by a thousand, and sheets as they are shipped.
#include "predict/hardware/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lento::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Plausible, EveryShippedSheetIsItself) {
  for (const System& s : shipped_systems()) {
    EXPECT_THAT(implausible_values(s), IsEmpty()) << s.name;
    EXPECT_TRUE(is_measured_chip(s)) << s.name;
  }
}

TEST(Plausible, AUnitReadAThousandTimesTooSmallIsNamed) {
  const System& h100 = *find_shipped("h100");
  System slow = h100;
  slow.chip.memory_Bps /= 1000;
  EXPECT_THAT(implausible_values(slow), ElementsAre(HasSubstr("memory_bandwidth 3.35 GB/s")));
  EXPECT_FALSE(is_measured_chip(slow));
  System lazy = h100;
  lazy.chip.clock_hz /= 1000;
  EXPECT_THAT(implausible_values(lazy), ElementsAre(HasSubstr("clock 1.83 MHz")));
  System small = h100;
  small.chip.memory_bytes /= 1000;
  EXPECT_THAT(implausible_values(small), ElementsAre(HasSubstr("memory 76.29 MiB")));
  System fast = h100;
  fast.chip.memory_Bps *= 1000;
  EXPECT_THAT(implausible_values(fast), ElementsAre(HasSubstr("memory_bandwidth")));
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
