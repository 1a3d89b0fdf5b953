// The schedule of a pipeline, event by event: one forward, one backward (1F1B; Narayanan et al. 2021), plain
// or interleaved. A device does one thing at a time, in the order that the schedule fixes; a chunk starts
// when its device is free and what it needs has arrived. The closed form of training.cc is its total when all
// stages take the same time and hand-overs cost nothing.
#pragma once

#include <vector>

namespace lento::predict {

struct PipelineShape {
  int stages = 1, chunks = 1, micro_batches = 1;  // chunks: model parts a device holds (interleaving)
  double forward_s = 0, backward_s = 0;           // one micro batch through one chunk
  double hand_over_s = 0;                         // from chunk to chunk, on another device
};

struct PipelineSpan {
  int stage = 0, chunk = 0, micro_batch = 0;
  bool backward = false;
  double begin = 0, end = 0;
};

// Spans in order of their end. Interleaving needs a number of micro batches that the stages divide; otherwise
// chunks are joined. Cost: linear in the spans.
std::vector<PipelineSpan> schedule_pipeline(const PipelineShape& shape);

}  // namespace lento::predict
