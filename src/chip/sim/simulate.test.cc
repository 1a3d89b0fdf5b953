#include "chip/sim/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "chip/map/map_file.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

TEST(Simulate, Real) {
  const std::string path = test::shared_chip("gemini/darknet19.4x4.map.json");
  if (!test::readable(path)) GTEST_SKIP();
  const spec::Chip chip;
  const Program program = expand(read_map(path), chip, path);
  const Model model(chip, program);
  for (uint32_t n : {1u, 4u}) {
    const Result r = simulate(model, {}, {.inferences = n});
    printf("%lu cycles %lu events %lu hops %lu records\n", r.cycles, r.events, r.link_hops, r.records);
  }
}

}  // namespace
}  // namespace lento::chip
