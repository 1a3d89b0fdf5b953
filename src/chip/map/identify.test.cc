#include "chip/map/identify.h"

#include <gtest/gtest.h>

#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

TEST(Identify, OnePairUsesOneLink) {
  spec::Chip chip;
  const Grid grid(chip);
  const Identifiability seen = identify(expand(test::two_layers(), chip, "two"), grid);
  EXPECT_EQ(seen.pairs, 1);
  EXPECT_EQ(seen.used_links, 1);
  EXPECT_EQ(seen.rank, 1);
  const Identifiability unranked = identify(expand(test::two_layers(), chip, "two"), grid, LinkRank::Skip);
  EXPECT_EQ(unranked.rank, -1);
  EXPECT_EQ(unranked.used_links, seen.used_links);
  EXPECT_EQ(seen.message_bytes[grid.find_link(0, 1)], 2u * 4 * 64);  // two passes of four samples
  EXPECT_GT(seen.core_operations[0], 0u);
  EXPECT_EQ(seen.core_operations[2], 0u);
  EXPECT_EQ(seen.port_bytes[1], 0u);
}

TEST(Identify, LinksOfOneLongRouteAreAlike) {
  Mapping mapping = test::two_layers();
  for (auto* blocks : {&mapping.layers[1].inputs[0].blocks, &mapping.layers[1].outputs[0].blocks})
    (*blocks)[0].cores[0] = {3, 0};
  spec::Chip chip;
  const Grid grid(chip);
  const Identifiability seen = identify(expand(mapping, chip, "two"), grid);
  EXPECT_EQ(seen.used_links, 3);
  EXPECT_EQ(seen.rank, 1);
  ASSERT_EQ(seen.alike.size(), 1u);
  EXPECT_EQ(seen.alike[0].size(), 3u);
}

TEST(Identify, BlindSpotsNameWhatIsIdleAndWhatIsAlike) {
  Mapping mapping = test::two_layers();
  for (auto* blocks : {&mapping.layers[1].inputs[0].blocks, &mapping.layers[1].outputs[0].blocks})
    (*blocks)[0].cores[0] = {3, 0};
  spec::Chip chip;
  const Grid grid(chip);
  const std::vector<std::string> notes = blind_spots(identify(expand(mapping, chip, "two"), grid), grid);
  ASSERT_EQ(notes.size(), 6u);
  EXPECT_NE(notes[0].find("core1, core2, core4"), std::string::npos) << notes[0];
  EXPECT_NE(notes[5].find("link0-1, link1-2, link2-3"), std::string::npos) << notes[5];
}

// Recorded when the maps were made, by a separate program.
TEST(Identify, RanksOfTheSharedMaps) {
  struct Known {
    const char* name;
    int side;
    int pairs;
    int used;
    int rank;
  };
  for (const Known& k :
       {Known{"darknet19.4x4", 4, 101, 46, 45},
        Known{"googlenet.4x4", 4, 126, 48, 47},
        Known{"vgg19.4x4", 4, 86, 40, 38},
        Known{"resnet50.4x4", 4, 231, 48, 48}}) {
    const std::string path = test::shared_chip(std::string("gemini/") + k.name + ".map.json");
    if (!test::readable(path))
      GTEST_SKIP() << "no maps at " << path;
    spec::Chip chip;
    chip.width = chip.height = k.side;
    const Grid grid(chip);
    const Identifiability seen = identify(expand(read_map(path), chip, path), grid);
    EXPECT_EQ(seen.pairs, k.pairs) << k.name;
    EXPECT_EQ(seen.used_links, k.used) << k.name;
    EXPECT_EQ(seen.rank, k.rank) << k.name;
  }
}

}  // namespace
}  // namespace lento::chip
