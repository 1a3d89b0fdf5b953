#include "chip/kept_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "chip/map/binary_tree.h"
#include "chip/map/file/map_file.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

TEST(KeptModel, IsKnownByTheContentOfBothFiles) {
  const std::string folder = testing::TempDir() + "kept_model";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const spec::Chip chip;
  const Mapping mapping = map_binary_tree({.depth = 3, .size = 64, .passes = 4}, chip);
  const Program program = expand(mapping, chip, "tree");
  const LearnSetup setup{chip, program, 1};
  const LearnOptions learning{.draws = 2};
  const ModelPlace place{folder + "/models", folder + "/chip.yaml", folder + "/map.json"};
  base::write_file(place.chip, spec::write_chip(chip));
  base::write_file(place.mapping, write_map(mapping));
  EXPECT_EQ(kept_model(place, setup, learning), nullptr);
  const auto learnt = learn_and_keep(place, setup, learning, {});
  const auto kept = kept_model(place, setup, learning);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->threshold, learnt->threshold);
  EXPECT_EQ(kept_model(place, setup, {.draws = 3}), nullptr);
  base::write_file(place.chip, spec::write_chip(chip) + "# another\n");
  EXPECT_EQ(kept_model(place, setup, learning), nullptr);
  std::filesystem::remove_all(folder);
}

TEST(KeptModel, ChipLearnKeepsWhatADiagnosisReads) {
  const std::string folder = testing::TempDir() + "chip_learn";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const spec::Chip chip;
  ChipLearnOptions options{.chip = folder + "/chip.yaml", .mapping = folder + "/map.json"};
  base::write_file(options.chip, spec::write_chip(chip));
  base::write_file(options.mapping, write_map(map_binary_tree({.depth = 3, .size = 64, .passes = 4}, chip)));
  EXPECT_THROW(chip_learn(options), base::Error);  // no folder
  options.models = "/dev/null/models";
  EXPECT_THROW(chip_learn(options), base::Error);
  options.models = folder + "/models";
  EXPECT_EQ(chip_learn(options).verdict, "Learnt this chip and mapping.");
  EXPECT_EQ(chip_learn(options).verdict, "This chip and mapping were known already.");
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  const ModelPlace place{options.models, options.chip, options.mapping};
  EXPECT_NE(kept_model(place, {chip, program, 1}, {}), nullptr);
  std::filesystem::remove_all(folder);
}

TEST(KeptModel, AFolderThatCannotBeWrittenKeepsNothing) {
  const spec::Chip chip;
  const Program program = expand(map_binary_tree({.depth = 3, .size = 64, .passes = 4}, chip), chip, "tree");
  const LearnSetup setup{chip, program, 1};
  const ModelPlace place{"/dev/null/models", "chip.yaml", "map.json"};
  EXPECT_TRUE(place.path(setup, {}).empty());  // no such files
  EXPECT_EQ(kept_model(place, setup, {}), nullptr);
  EXPECT_NE(learn_and_keep(place, setup, {.draws = 2}, {}), nullptr);
}

}  // namespace
}  // namespace lento::chip
