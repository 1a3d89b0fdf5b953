// The tap in hardware equals its model in every cycle, and over a bus its count is exact though the program
// is late.
#include "tile/block/tap.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/rng.h"
#include "bus_board.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vtap.h"
#pragma GCC diagnostic pop

namespace lento::tile {
namespace {

Tap drawn_tap(base::Rng& rng) {
  Tap tap;
  tap.mask = rng.below(2) ? UINT32_MAX : uint32_t(rng.next());
  if (rng.below(2))
    tap.equals = uint32_t(rng.below(4)) & tap.mask;
  tap.when = Tap::When(rng.below(4));
  tap.take = Tap::Take(rng.below(4));
  tap.peak = rng.below(4) == 0;
  return tap;
}

TEST(Tap, TheHardwareIsItsModel) {
  base::Rng rng(1, "tile.tap");
  uint64_t passed = 0;
  for (int n = 0; n < 400; ++n) {
    const Tap tap = drawn_tap(rng);
    TapFilter model;
    const auto top = std::make_unique<Vtap>();
    const auto tick = [&] {
      top->clock = 1;
      top->eval();
      top->clock = 0;
      top->eval();
    };
    top->reset = 1;
    tick();
    top->reset = 0;
    top->on = 1;
    top->compares = tap.equals.has_value();
    top->equals = tap.equals.value_or(0);
    top->mask = tap.mask;
    top->when = CData(tap.when);
    top->takes = CData(tap.take);
    top->peaks = tap.peak;
    for (int cycle = 0; cycle < 200; ++cycle) {
      top->valid = rng.below(3) > 0;
      top->data = uint32_t(rng.below(8));
      top->eval();
      ASSERT_EQ(top->events, model.events());
      const std::optional<uint32_t> wanted = model.take(tap, top->valid, top->data);
      ASSERT_EQ(bool(top->passes), wanted.has_value()) << n << " " << cycle;
      if (wanted) {
        ASSERT_EQ(top->word, *wanted) << n << " " << cycle;
      }
      passed += wanted.has_value();
      tick();
    }
    top->final();
  }
  EXPECT_GT(passed, 10'000u);
}

}  // namespace
}  // namespace lento::tile
