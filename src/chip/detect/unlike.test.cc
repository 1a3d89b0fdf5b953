#include "chip/detect/unlike.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chip/detect/expected.h"
#include "chip/detect/test_chip.h"

namespace lento::chip {
namespace {

class UnlikeSimulated : public testing::Test {
 protected:
  test::QuietChip quiet_;

  std::string reason(const Twin& real, const std::vector<Fault>& faults = {}) const {
    const Sketch recorded = quiet_.run(real, faults, 1);
    const Cells cells = cells_of(recorded, quiet_.grid());
    const std::vector<Path> paths = paths_of(cells, quiet_.file(), quiet_.grid());
    DetectOptions options;
    options.replay = quiet_.replay();
    const Expected expected({cells, paths, quiet_.file(), quiet_.grid(), options, recorded.records()});
    return unlike_simulated({cells, paths, {}}, expected.draws(), 0.005);
  }
  Twin file() const {
    return {quiet_.file(), {}};
  }
};

TEST_F(UnlikeSimulated, TheFilesChipIsLikeIt) {
  EXPECT_EQ(reason(file()), "");
}

TEST_F(UnlikeSimulated, SlowerAndFasterLinksAreAnotherChip) {
  for (const double times : {0.8, 1.25}) {
    Twin real = file();
    real.chip.network.link_bytes_per_cycle *= times;
    EXPECT_THAT(reason(real), testing::HasSubstr("most transfers take")) << times;
  }
}

TEST_F(UnlikeSimulated, OneSlowPartIsNot) {
  EXPECT_EQ(reason(file(), {quiet_.fault({Part::Link, 5, 6}, 10, 0, quiet_.bins)}), "");
  EXPECT_EQ(reason(file(), {quiet_.fault({Part::MemoryUnit, 5}, 10, 0, quiet_.bins)}), "");
}

}  // namespace
}  // namespace lento::chip
