// Sheets of machines: what is read is written back, and what is left out has a stated default.
#include "memory/core_platform.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace lento::memory {
namespace {

CorePlatform read(const std::string& core) {
  const std::string path = (std::filesystem::temp_directory_path() / "lento_core_platform.yaml").string();
  base::write_file(path, "schema: lento.platform/1\nname: test\nclock: 2 GHz\ncore:\n" + core);
  const CorePlatform platform = read_core_platform(path);
  std::filesystem::remove(path);
  return platform;
}

TEST(CorePlatform, TimesAreRoundedForTheReplayAndNotInTheSheet) {
  const CorePlatform platform = read("  second: {size: 512 KiB, ways: 8, latency: 3.3 ns}\n  atomic: 9 ns\n");
  EXPECT_EQ(platform.core.second_hit, 7u);
  EXPECT_EQ(platform.core.atomic, 18u);
  EXPECT_NE(to_yaml(platform).find("latency: 3.3 ns"), std::string::npos);
}

TEST(CorePlatform, ASheetMaySayHowFastACoreWorksBetweenAccesses) {
  EXPECT_EQ(read("  overlap: 1\n").core.width, 4u);
  const CorePlatform platform = read("  width: 0\n  divide: 9.5 ns\n");
  EXPECT_EQ(platform.core.width, 0u);
  EXPECT_EQ(platform.core.divide, 19u);
  EXPECT_NE(to_yaml(platform).find("width: 0\n  divide: 9.5 ns"), std::string::npos);
}

TEST(CorePlatform, ASetTakesOneLineAtATimeWhereTheSheetSaysNothing) {
  const CorePlatform overlaps = read("  overlap: 10\n  second: {size: 512 KiB, ways: 8, latency: 6 ns}\n");
  EXPECT_EQ(overlaps.core.replace, 4u + 12);
  EXPECT_EQ(overlaps.core.rewrite, 2u * 16);
  EXPECT_EQ(read("  overlap: 1\n").core.replace, 0u);
  EXPECT_EQ(
      read("  overlap: 10\n  first: {size: 32 KiB, ways: 8, replace: 4 ns, rewrite: 16 ns}\n").core.replace,
      8u);
}

TEST(CorePlatform, EveryShippedSheetIsReadBackAsItWasWritten) {
  for (const std::string& name : shipped_core_platforms()) {
    const CorePlatform shipped = read_core_platform(name);
    const std::string path = (std::filesystem::temp_directory_path() / "lento_shipped.yaml").string();
    base::write_file(path, to_yaml(shipped));
    EXPECT_EQ(to_yaml(read_core_platform(path)), to_yaml(shipped)) << name;
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace lento::memory
