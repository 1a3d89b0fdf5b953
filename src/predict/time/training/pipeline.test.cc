// The event schedule of a pipeline against its closed forms.
#include "predict/time/training/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lento::predict {
namespace {

double total(const PipelineShape& shape) {
  return schedule_pipeline(shape).back().end;
}

TEST(Pipeline, PlainScheduleTakesMicroBatchesAndBubble) {
  for (const int stages : {1, 2, 4, 8}) {
    for (const int micro : {8, 16}) {
      EXPECT_NEAR(total({stages, 1, micro, 1.0, 2.0, 0}), (micro + stages - 1) * 3.0, 1e-9)
          << stages << " stages, " << micro << " micro batches";
    }
  }
}

TEST(Pipeline, InterleavingDividesTheBubble) {
  EXPECT_NEAR(total({4, 2, 8, 0.5, 1.0, 0}), 8 * 3.0 + 3 * 3.0 / 2, 1e-9);
}

TEST(Pipeline, NoDeviceDoesTwoThingsAtOnceAndNothingComesBeforeItsInput) {
  const std::vector<PipelineSpan> spans = schedule_pipeline({4, 2, 8, 0.5, 1.0, 0.25});
  EXPECT_EQ(spans.size(), 4U * 2 * 8 * 2);
  for (const PipelineSpan& a : spans) {
    for (const PipelineSpan& b : spans) {
      if (&a == &b)
        continue;
      if (a.stage == b.stage) {
        EXPECT_TRUE(a.end <= b.begin + 1e-12 || b.end <= a.begin + 1e-12);
      }
      const bool next = a.chunk == b.chunk && a.stage + 1 == b.stage && a.micro_batch == b.micro_batch;
      if (!next || a.backward != b.backward)
        continue;
      EXPECT_GE(a.backward ? a.begin - b.end : b.begin - a.end, 0.25 - 1e-12);
    }
  }
}

TEST(Pipeline, FewerMicroBatchesThanStagesStillEnd) {
  EXPECT_NEAR(total({8, 1, 2, 1.0, 2.0, 0}), 9 * 3.0, 1e-9);
  EXPECT_GT(total({4, 2, 3, 0.5, 1.0, 0}), 0);  // chunks joined
}

}  // namespace
}  // namespace lento::predict
