// Executes the fixed order of passes of every pipeline stage: a stage that waits for an input is resumed
// when the input is done.
#include "predict/time/training/pipeline.h"

#include <algorithm>

#include "base/error.h"

namespace lento::predict {
namespace {

struct PipelineStep {
  int chunk;
  int micro_batch;
  bool backward;
};

// Returns step k of the forward (or backward) sequence of a device. Groups of `stages` micro batches go
// through the device's chunks in turn. In the backward sequence the last chunk comes first.
PipelineStep step_of(const PipelineShape& s, int k, bool backward) {
  const int group = s.stages * s.chunks;
  const int chunk = k % group / s.stages;
  const int micro = k / group * s.stages + k % s.stages;
  return {backward ? s.chunks - 1 - chunk : chunk, micro, backward};
}

// Returns forward and backward steps of a stage in the order of the one-forward-one-backward schedule.
std::vector<PipelineStep> order_of(const PipelineShape& s, int stage) {
  const int total = s.micro_batches * s.chunks;
  const int ahead =
      s.chunks == 1 ? s.stages - 1 - stage : 2 * (s.stages - 1 - stage) + (s.chunks - 1) * s.stages;
  const int warm = std::min(total, ahead);
  std::vector<PipelineStep> order;
  for (int k = 0; k < warm; ++k)
    order.push_back(step_of(s, k, false));
  for (int k = 0; k < total; ++k) {
    if (warm + k < total)
      order.push_back(step_of(s, warm + k, false));
    order.push_back(step_of(s, k, true));
  }
  return order;
}

// The time at which each chunk of each micro batch is done, by direction. Negative values are not done yet.
class Done {
 public:
  explicit Done(const PipelineShape& s)
      : shape_(s),
        at_(size_t{2} * s.stages * s.chunks * s.micro_batches, -1.0) {
  }
  double& operator()(int depth, int micro, bool backward) {
    return at_[(size_t(depth) * shape_.micro_batches + micro) * 2 + backward];
  }

 private:
  const PipelineShape& shape_;
  std::vector<double> at_;
};

// Returns when the input of a step has arrived; negative when it has not been produced yet.
double ready(const PipelineShape& s, Done& done, int stage, const PipelineStep& step) {
  const int depth = step.chunk * s.stages + stage;
  const int last = s.stages * s.chunks - 1;
  if (!step.backward && depth == 0)
    return 0;
  if (step.backward && depth == last)
    return done(depth, step.micro_batch, false);
  const double before = done(step.backward ? depth + 1 : depth - 1, step.micro_batch, step.backward);
  return before < 0 ? before : before + (s.stages > 1 ? s.hand_over_s : 0);
}

}  // namespace

std::vector<PipelineSpan> schedule_pipeline(const PipelineShape& given) {
  PipelineShape s = given;
  if (s.chunks > 1 && (s.stages == 1 || s.micro_batches % s.stages != 0)) {
    s.forward_s *= s.chunks;
    s.backward_s *= s.chunks;
    s.chunks = 1;
  }
  Done done(s);
  std::vector<std::vector<PipelineStep>> orders;
  for (int stage = 0; stage < s.stages; ++stage)
    orders.push_back(order_of(s, stage));
  std::vector<size_t> next(size_t(s.stages), 0);
  std::vector<double> free(size_t(s.stages), 0);
  std::vector<PipelineSpan> spans;
  for (bool moved = true; moved;) {
    moved = false;
    for (int stage = 0; stage < s.stages; ++stage) {
      const std::vector<PipelineStep>& order = orders[size_t(stage)];
      for (size_t& at = next[size_t(stage)]; at < order.size(); ++at, moved = true) {
        const PipelineStep& step = order[at];
        const double arrived = ready(s, done, stage, step);
        if (arrived < 0)
          break;
        double& busy = free[size_t(stage)];
        const double begin = std::max(busy, arrived);
        busy = begin + (step.backward ? s.backward_s : s.forward_s);
        done(step.chunk * s.stages + stage, step.micro_batch, step.backward) = busy;
        spans.push_back({stage, step.chunk, step.micro_batch, step.backward, begin, busy});
      }
    }
  }
  LENTO_CHECK(
      spans.size() == size_t{2} * s.stages * s.chunks * s.micro_batches,
      "a schedule must not wait forever");
  std::ranges::stable_sort(spans, [](const PipelineSpan& a, const PipelineSpan& b) {
    return a.end < b.end;
  });
  return spans;
}

}  // namespace lento::predict
