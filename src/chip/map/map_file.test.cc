#include "chip/map/map_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

using base::test::error_of;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MapFile, WrittenAndReadBackIsTheSame) {
  const Mapping mapping = test::two_layers();
  const std::string text = write_map(mapping);
  EXPECT_EQ(write_map(parse_map(text, "m")), text);
}

TEST(MapFile, ReadsMapsOfOtherTools) {
  for (const char* name : {"gemini/darknet19.4x4", "gemini/resnet50.8x8", "released_darknet19.4x4"}) {
    const std::string path = test::shared_chip(name) + ".map.json";
    if (!test::readable(path))
      GTEST_SKIP() << path << " is not there";
    const Mapping mapping = read_map(path);
    EXPECT_EQ(mapping.batch, 64);
    EXPECT_EQ(write_map(parse_map(write_map(mapping), "again")), write_map(mapping));
  }
}

TEST(MapFile, BadInputIsLocated) {
  const std::string good = write_map(test::two_layers());
  const auto message = [&](const std::string& from, const std::string& to) {
    return error_of([&] {
      parse_map(replaced(good, from, to), "bad.json");
    });
  };
  EXPECT_THAT(message("\"conv\"", "\"cnov\""), HasSubstr("did you mean 'conv'?"));
  EXPECT_THAT(
      message("\"end\":4", "\"end\":0"),
      HasSubstr("layers[0].input_feature[0].blocks[0].tensor_slice[0]"));
  EXPECT_THAT(
      message("\"source_layer_id\":0", "\"source_layer_id\":1"),
      HasSubstr("does not come before it"));
  EXPECT_THAT(message("\"layer_id\":1", "\"layer_id\":0"), HasSubstr("stands twice"));
  EXPECT_THAT(message("\"layer_batch_size\":4", "\"layer_batch_size\":3"), HasSubstr("does not divide"));
  EXPECT_THAT(message("\"x\":0", "\"x\":\"left\""), HasSubstr("cores[0].x"));
}

TEST(MapFile, MappingLargerThanTheChipIsRefused) {
  spec::Chip chip;
  chip.width = 1;
  chip.height = 1;
  EXPECT_THAT(
      error_of([&] {
        check_fits(test::two_layers(), Grid(chip), "m.json");
      }),
      HasSubstr("is not on the chip"));
  chip.width = 2;
  check_fits(test::two_layers(), Grid(chip), "m.json");
}

}  // namespace
}  // namespace lento::chip
