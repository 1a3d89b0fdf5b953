// Simulates the schedule of a training pipeline event by event: one forward, one backward (1F1B; Narayanan et
// al. 2021), plain or interleaved. A device runs one pass at a time, in the order of the schedule. A chunk
// starts when its device is free and its input has arrived. The total equals the closed form of training.cc
// when all stages take the same time and sending activations takes no time.
#pragma once

#include <vector>

namespace lento::predict {

struct PipelineShape {
  // chunks is the number of model parts on each device (interleaving).
  int stages = 1;
  int chunks = 1;
  int micro_batches = 1;
  // Seconds of one micro batch in one chunk.
  double forward_s = 0;
  double backward_s = 0;
  double hand_over_s = 0;  // to send the output of a chunk to the next device
};

struct PipelineSpan {
  int stage = 0;
  int chunk = 0;
  int micro_batch = 0;
  bool backward = false;
  double begin = 0;
  double end = 0;
};

// Returns the spans in order of their end. Interleaving requires that the stages divide the number of micro
// batches; otherwise chunks are joined. Cost: linear in the number of spans.
std::vector<PipelineSpan> schedule_pipeline(const PipelineShape& shape);

}  // namespace lento::predict
