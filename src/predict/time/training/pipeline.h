// The schedule of a pipeline, event by event: one forward, one backward (1F1B; Narayanan et al. 2021), plain
// or interleaved. A device does one thing at a time, in the order that the schedule fixes; a chunk starts
// when its device is free and what it needs has arrived. The closed form of training.cc is its total when all
// stages take the same time and hand-overs cost nothing.
#pragma once

#include <vector>

namespace lento::predict {

struct PipelineShape {
  // chunks: model parts a device holds (interleaving)
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;
  // one micro batch through one chunk
  double forward_s = 0;
  double backward_s = 0;
  double hand_over_s = 0;  // from chunk to chunk, on another device
};

struct PipelineSpan {
  int stage = 0;
  int chunk = 0;
  int micro_batch = 0;
  bool backward = false;
  double begin = 0;
  double end = 0;
};

// Spans in order of their end. Interleaving needs a number of micro batches that the stages divide; otherwise
// chunks are joined. Cost: linear in the spans.
std::vector<PipelineSpan> schedule_pipeline(const PipelineShape& shape);

}  // namespace lento::predict
