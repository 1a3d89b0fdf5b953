// From C to an image, with the cross compiler when it is there.
#include "tile/unit/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "tile/unit/test_functional.h"

namespace lento::tile {
namespace {

bool have_compiler() {
  return std::system("riscv64-unknown-elf-gcc --version >/dev/null 2>&1") == 0;
}

TEST(Build, ShippedProgramsBuildAndDeclareWhatTheyDo) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  for (const std::string& name : shipped_programs()) {
    const Built built = build_program(shipped_source(name), name);
    EXPECT_LE(built.image.code.size(), kCodeBytes) << name;
    EXPECT_EQ(parse_image(write_image(built.image), name), built.image);
    EXPECT_GT(built.main_lines, 0) << name;
  }
  EXPECT_LE(build_program(shipped_source("gpu.c"), "gpu.c").main_lines, 2);
  EXPECT_LE(build_program(shipped_source("values.c"), "values.c").main_lines, 2);
}

TEST(Build, EchoEchoes) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  FunctionalTile tile(build_program(shipped_source("echo.c"), "echo.c").image);
  EXPECT_TRUE(tile.init(100).ended);
  TileInputs in;
  in.valid = 1, in.data[0] = 0x04030201;
  EXPECT_TRUE(tile.main(in, 100).ended);
  EXPECT_EQ(tile.take_output(), "\x01\x02\x03\x04");
  EXPECT_TRUE(tile.finish(100).ended);
}

TEST(Build, ErrorsAreTheCompilersOwnWords) {
  if (!have_compiler())
    GTEST_SKIP() << "gcc-riscv64-unknown-elf is not installed";
  const auto reason = [](const std::string& source) -> std::string {
    try {
      build_program(source, "p.c");
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(reason("#include \"ypu.h\"\nYPU_MAIN { x = 1; }\n"), testing::HasSubstr("p.c:2:"));
  EXPECT_THAT(reason("int f;\n"), testing::HasSubstr("no ypu_main"));
  EXPECT_THAT(
      reason("#include \"ypu.h\"\nint big[9000];\nYPU_MAIN { big[ypu_io(0) & 1] = 1; }\n"),
      testing::HasSubstr("overflowed"));
}

}  // namespace
}  // namespace lento::tile
