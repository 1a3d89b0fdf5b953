#include "lab/chip/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "chip/map/binary_tree.h"
#include "chip/map/file/map_file.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

TEST(Audit, CountsWhatItDraws) {
  const std::string folder = testing::TempDir();
  const spec::Chip chip;
  std::ofstream(folder + "audit.chip.yaml") << spec::write_chip(chip);
  std::ofstream(folder + "audit.map.json")
      << write_map(map_binary_tree({.depth = 4, .size = 192, .passes = 24}, chip));
  const ChipAuditOptions options{
      .chip = folder + "audit.chip.yaml",
      .mapping = folder + "audit.map.json",
      .healthy = 20,
      .detectable = 20,
      .intervals = 2};
  const std::vector<lab::Promise> promises = audit_chip(options);
  ASSERT_EQ(promises.size(), 4U);
  EXPECT_EQ(promises[0].trials, 20U);
  EXPECT_LE(promises[0].hits, 2U);
  EXPECT_EQ(promises[1].trials, 20U);
  EXPECT_GE(promises[1].hits, 14U);
  EXPECT_EQ(promises[2].trials, 2U);
  EXPECT_EQ(promises[3].trials, 2U);
  EXPECT_THAT(lab::promise_table(promises, "chip", 1).verdict, testing::HasSubstr("of 4 promises"));
}

}  // namespace
}  // namespace lento::chip
