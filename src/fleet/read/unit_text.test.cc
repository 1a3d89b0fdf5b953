#include "fleet/read/unit_text.h"

#include <gtest/gtest.h>

#include "fleet/read/column_names.h"

namespace lento::fleet {
namespace {

TEST(UnitText, NumberAndUnitWithOrWithoutABlank) {
  EXPECT_EQ(unit_text("639.67 W")->number, 639.67);
  EXPECT_EQ(unit_text("639.67 W")->unit, "W");
  EXPECT_EQ(unit_text("93%")->unit, "%");
  EXPECT_EQ(
      unit_text("-4 \xc2\xb0"
                "C")
          ->unit,
      "\xc2\xb0"
      "C");
  EXPECT_EQ(unit_text("1.2 kB/s")->unit, "kB/s");
  for (const char* none :
       {"", "W", "12", "00000000:4E:00.0", "[N/A]", "2026-11-20", "1 2", "5 W5", "nan W", "7 ,5"})
    EXPECT_FALSE(unit_text(none)) << none;
}

std::optional<double> second(const char* first, const char* then) {
  MetricUnits units;
  units.of(3, *unit_text(first));
  return units.of(3, *unit_text(then));
}

TEST(MetricUnits, PrefixesAreScaledAndOtherUnitsRefused) {
  EXPECT_DOUBLE_EQ(*second("950 W", "1.2 kW"), 1200);
  EXPECT_DOUBLE_EQ(*second("1.2 kW", "950 W"), 0.95);
  EXPECT_DOUBLE_EQ(*second("2 MiB", "1 GiB"), 1024);
  EXPECT_DOUBLE_EQ(*second("2 MB/s", "500 kB/s"), 0.5);
  EXPECT_FALSE(second("5 W", "5 %"));
  EXPECT_FALSE(second("5 min", "5 s"));
}

TEST(MetricUnits, ABareNumberIsNoQuantityButZeroIs) {
  MetricUnits units;
  EXPECT_EQ(units.of(0, UnitText{5, "W"}), 5);
  EXPECT_FALSE(units.of(0, 7.0));
  EXPECT_EQ(units.of(0, 0.0), 0);
  EXPECT_EQ(units.of(1, 7.0), 7);
  EXPECT_FALSE(units.of(1, UnitText{5, "W"}));
  EXPECT_EQ(units.of(1, UnitText{1.5, "K"}), 1500) << "950, 1.5 K: how dashboards shorten";
}

TEST(ColumnNames, WhateverTheirCase) {
  EXPECT_TRUE(names_machine("Hostname"));
  EXPECT_TRUE(names_time("Time"));
  EXPECT_TRUE(names_device("GPU"));
  EXPECT_FALSE(names_device("index"));
}

TEST(ColumnNames, MachinesDifferInTheirNumbersOnly) {
  EXPECT_TRUE(are_machines({"gpu-a00-00", "gpu-a00-01", "gpu-a01-07", "gpu-a1-2"}));
  EXPECT_FALSE(are_machines({"node1", "node2", "node3"})) << "too few to tell";
  EXPECT_FALSE(are_machines({"power1", "power2", "power3", "temp1"}));
  EXPECT_FALSE(are_machines({"power", "temp", "clock", "util"}));
}

}  // namespace
}  // namespace lento::fleet
