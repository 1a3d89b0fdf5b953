#include "chip/sim/checkpointed_run.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "chip/map/test_data.h"

namespace lento::chip {
namespace {

class Collect : public RecordSink {
 public:
  Outcome record(const ProbeRecord& r) override {
    bytes.append(reinterpret_cast<const char*>(&r), sizeof r);
    return {.cost_cycles = 10};
  }
  std::string bytes;
};

struct Case {
  Program program = expand(test::two_layers(), spec::Chip{}, "m");
  Model model{spec::Chip{}, program};
  Options options;

  std::string from_the_start(const std::vector<Fault>& faults) {
    Collect sink;
    simulate(model, faults, options, &sink);
    return sink.bytes;
  }
};

Fault anywhere(const Grid& grid, base::Rng& rng, uint64_t cycles) {
  const char* const names[] = {"core0", "core1", "link0-1", "router1", "lsu0", "dram-left-0"};
  Fault f = component(names[rng.below(6)], grid, {});
  f.factor = 1 + rng.uniform() * 9;
  f.begin = rng.below(cycles);
  f.end = f.begin + rng.below(cycles);
  return f;
}

TEST(CheckpointedRun, RunsAreThoseFromTheStart) {
  Case c;
  c.options.inferences = 40;
  c.options.seed = 5;
  const uint64_t cycles = simulate(c.model, {}, c.options).cycles;
  for (const size_t moments : {0, 1, 2, 7, 64}) {
    const CheckpointedRun<Collect> checkpointed(c.model, c.options, Collect(), moments);
    EXPECT_EQ(checkpointed.healthy().bytes, c.from_the_start({}));
    base::Rng rng(moments);
    for (int i = 0; i < 20; ++i) {
      std::vector<Fault> faults{anywhere(c.model.grid, rng, cycles)};
      if (i % 2 == 1)
        faults.push_back(anywhere(c.model.grid, rng, cycles));
      EXPECT_EQ(checkpointed.run(faults, UINT64_MAX).bytes, c.from_the_start(faults)) << moments << ' ' << i;
    }
  }
}

TEST(CheckpointedRun, ARunEndsWhereItIsTold) {
  Case c;
  c.options.inferences = 40;
  const uint64_t cycles = simulate(c.model, {}, c.options).cycles;
  const CheckpointedRun<Collect> checkpointed(c.model, c.options, Collect(), 8);
  Fault late = component("core1", c.model.grid, {});
  late.factor = 3;
  for (const uint64_t begin : {uint64_t{0}, cycles / 2, cycles - 1, 2 * cycles}) {
    late.begin = begin;
    c.options.max_cycles = cycles / 2;
    EXPECT_EQ(checkpointed.run({late}, cycles / 2).bytes, c.from_the_start({late})) << begin;
  }
}

}  // namespace
}  // namespace lento::chip
