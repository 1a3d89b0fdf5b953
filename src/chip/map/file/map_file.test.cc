#include "chip/map/file/map_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
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

// Every member that the format has, taken out in turn: all but the name of the whole are needed.
void without_each(
    const base::Json& whole,
    const std::string& path,
    const std::function<void(base::Json, std::string)>& see) {
  for (size_t i = 0; i < whole.members().size(); ++i) {
    base::Json::Object less = whole.members();
    const std::string here = path + "." + less[i].first;
    const base::Json inner = less[i].second;
    less.erase(less.begin() + long(i));
    see(base::Json(less), here);
    without_each(inner, here, [&](base::Json changed, const std::string& at) {
      base::Json::Object outer = whole.members();
      outer[i].second = std::move(changed);
      see(base::Json(outer), at);
    });
  }
  for (size_t i = 0; i < whole.items().size(); ++i) {
    without_each(
        whole.items()[i],
        path + "[" + std::to_string(i) + "]",
        [&](base::Json changed, const std::string& at) {
          base::Json::Array items = whole.items();
          items[i] = std::move(changed);
          see(base::Json(items), at);
        });
  }
}

TEST(MapFile, EveryMemberIsNeeded) {
  Mapping small = test::two_layers();
  small.layers[0].weights[0].blocks[0].cores.resize(1);
  const base::Json good = base::parse_json(write_map(small), "m");
  int tried = 0;
  without_each(good, "", [&](const base::Json& changed, const std::string& path) {
    ++tried;
    const std::string said = error_of([&] {
      parse_map(base::write_json(changed), "m.json");
    });
    const std::string expected = path == ".name" ? "no error" : path.substr(path.rfind('.') + 1);
    EXPECT_THAT(said, HasSubstr(expected)) << path;
  });
  EXPECT_GT(tried, 60);
}

TEST(MapFile, NumbersOutOfRangeAreRefusedAtTheirPath) {
  const std::string good = write_map(test::two_layers());
  const auto message = [&](const std::string& from, const std::string& to) {
    return error_of([&] {
      parse_map(replaced(good, from, to), "bad.json");
    });
  };
  EXPECT_THAT(message("\"batch_size\":8", "\"batch_size\":0"), HasSubstr("batch_size"));
  EXPECT_THAT(message("\"batch_size\":8", "\"batch_size\":70000"), HasSubstr("batch_size"));
  EXPECT_THAT(message("\"group_num\":1", "\"group_num\":0"), HasSubstr("layers[0].group_num"));
  EXPECT_THAT(message("\"dims\":[1,1,1,1]", "\"dims\":[1,1,1]"), HasSubstr("found 3 numbers, needed 4"));
  EXPECT_THAT(message("\"dims\":[1,1,1,1]", "\"dims\":[1,0,1,1]"), HasSubstr("output_partition.dims[1]"));
  EXPECT_THAT(message("\"x\":0", "\"x\":256"), HasSubstr("cores[0].x"));
  EXPECT_THAT(message("\"source\":\"dram\"", "\"source\":\"disk\""), HasSubstr("needed 'dram' or 'core'"));
  EXPECT_THAT(message("\"next\":[1]", "\"next\":[-1]"), HasSubstr("next[0]"));
  EXPECT_THAT(
      message("\"end\":8},{\"start\":0,\"end\":8}", "\"end\":16777216},{\"start\":0,\"end\":16777216}"),
      HasSubstr("more than 2^40 elements"));
  EXPECT_THAT(
      message("\"layer_group_id\":1", "\"layer_group_id\":2"),
      HasSubstr("segments must not go back, found 1 after 2"));
  EXPECT_THAT(
      error_of([&] {
        parse_map("{\"batch_size\":1,\"layers\":[]}", "bad.json");
      }),
      HasSubstr("at least one layer"));
}

TEST(Slices, CommonPartsAreThoseOfEveryElement) {
  base::Rng rng(1, "slices");
  const auto random_slice = [&] {
    Slice s;
    for (Range& r : s) {
      r.start = int64_t(rng.below(5));
      r.end = r.start + 1 + int64_t(rng.below(3));
    }
    return s;
  };
  const auto holds = [](const Slice& s, const std::array<int64_t, 4>& at) {
    for (size_t i = 0; i < 4; ++i) {
      if (at[i] < s[i].start || at[i] >= s[i].end)
        return false;
    }
    return true;
  };
  for (int i = 0; i < 100; ++i) {
    const Slice a = random_slice();
    const Slice b = random_slice();
    int64_t both = 0;
    for (int64_t flat = 0; flat < 8 * 8 * 8 * 8; ++flat) {
      const std::array<int64_t, 4> at{flat / 512, flat / 64 % 8, flat / 8 % 8, flat % 8};
      both += holds(a, at) && holds(b, at);
    }
    Slice common;
    ASSERT_EQ(intersect(a, b, common), both > 0);
    EXPECT_EQ(both > 0 ? volume(common) : 0, both);
  }
}

}  // namespace
}  // namespace lento::chip
