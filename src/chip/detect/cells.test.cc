#include "chip/detect/cells.h"

#include <gtest/gtest.h>

namespace lento::chip {
namespace {

constexpr uint64_t kWidth = 1 << 16;

// Messages of core 0 to core 1, one a bin of kWidth, from 1000 cycles on by 100 a bin.
Sketch run_of(uint64_t bins) {
  SketchShape shape;
  shape.hashes = shape.buckets = 0;
  shape.bins = 16;
  Sketch sketch(std::vector<SketchShape>(16, shape), SketchOptions{});
  for (uint64_t b = 0; b < bins; ++b) {
    trace::ProbeRecord r;
    r.kind = trace::ProbeKind::Message;
    r.begin = b * kWidth;
    r.end = r.begin + 1000 + 100 * b;
    r.work = 1000;
    r.peer = 1;
    sketch.record(r);
  }
  return sketch;
}

TEST(Cells, ALongerRunIsLaidOnTheGridOfAShorterOne) {
  const Grid grid{spec::Chip{}};
  const Cells recorded = cells_of(run_of(16), grid);
  ASSERT_EQ(recorded.bin_cycles, kWidth);
  const Sketch longer = run_of(20);  // its bins are twice as wide
  ASSERT_EQ(longer.cores()[0].bin_cycles(), 2 * kWidth);
  const Cells reference = cells_of(longer, grid, recorded.bin_cycles);
  EXPECT_EQ(reference.bin_cycles, kWidth);
  ASSERT_EQ(reference.rows.size(), 1u);
  for (size_t b = 0; b < recorded.bins; ++b)
    EXPECT_NEAR(reference.rows[0].cells[b].level, recorded.rows[0].cells[b].level, 0.1) << b;
}

TEST(Cells, AnIntervalTouchesTheBinsItCoversInPart) {
  Cells cells;
  cells.bin_cycles = 100;
  cells.bins = 10;
  const auto touched = [&](uint64_t begin, uint64_t end) {
    const Bins bins = bins_of(cells, begin, end);
    return std::pair(bins.begin, bins.end);
  };
  EXPECT_EQ(touched(0, 20), std::pair(size_t{0}, size_t{1}));
  EXPECT_EQ(touched(220, 280), std::pair(size_t{2}, size_t{3}));
  EXPECT_EQ(touched(220, 301), std::pair(size_t{2}, size_t{4}));
  EXPECT_EQ(touched(200, 200), std::pair(size_t{2}, size_t{3}));
  EXPECT_EQ(touched(5000, 6000), std::pair(size_t{9}, size_t{10}));
}

}  // namespace
}  // namespace lento::chip
