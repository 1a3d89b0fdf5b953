#include "chip/sim/event_heap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "chip/sim/mesh_workload.h"

namespace lento::chip {
namespace {

TEST(EventHeap, PopsByTimeThenInsertion) {
  EventHeap heap;
  base::Rng rng(3);
  std::vector<std::pair<uint64_t, uint32_t>> expected;
  for (uint32_t i = 0; i < 5000; ++i) {
    const uint64_t time = rng.below(200);
    heap.push(time, i);
    expected.emplace_back(time, i);
  }
  std::ranges::sort(expected);
  for (const auto& [time, what] : expected) {
    const auto event = heap.pop();
    ASSERT_EQ(event.time, time);
    ASSERT_EQ(event.what, what);
  }
}

struct Known {
  reference::MeshWorkload workload;
  double end_cycle;
  uint64_t tasks;
  uint64_t messages;
  uint64_t hops;
  uint64_t task_sum;
  uint64_t message_sum;
};

// Five runs that SimPy and another C++ program agree on to the last tick.
TEST(EventHeap, ReferenceRunsBitForBit) {
  const Known runs[] = {
      {{.batches = 8}, 1896513.318, 3200, 12288, 31184, 0x000b6ccb5129322c, 0x002ac4406ebe4c16},
      {{.batches = 64}, 14941926.807, 25600, 98304, 249472, 0x02cae28c78b490aa, 0x0a6414aafde866d2},
      {{
           .batches = 64,
           .fail_core = 5,
       },
       140842677.498,
       25600,
       98304,
       249472,
       0x174e4733364c8afc,
       0x563164942d8d4355},
      {{
           .batches = 64,
           .fail_from = 5,
           .fail_to = 6,
       },
       92039690.792,
       25600,
       98304,
       249472,
       0x105bc86dd7aad46d,
       0x3d82a1e61a543f6b},
      {{
           .k = 8,
           .batches = 16,
       },
       5514844.379,
       25600,
       98304,
       516352,
       0x00fcbbc027f424e7,
       0x03be62196a133365}};
  for (const Known& known : runs) {
    const reference::MeshOutcome out = reference::MeshRun(known.workload).run();
    EXPECT_NEAR(double(out.end) / (1 << 20), known.end_cycle, 5.1e-4);
    EXPECT_EQ(out.tasks, known.tasks);
    EXPECT_EQ(out.messages, known.messages);
    EXPECT_EQ(out.hops, known.hops);
    EXPECT_EQ(out.task_sum, known.task_sum);
    EXPECT_EQ(out.message_sum, known.message_sum);
  }
}

}  // namespace
}  // namespace lento::chip
