// List scheduling of the sequence x layer grid of an LSTM over devices and links, one kernel per device and
// one transfer a link at a time, as the released CrossFlow tool simulates it.
#pragma once

namespace lento::predict {

struct StepTimes {
  double embedding_f = 0;
  double cell_f = 0;
  double softmax_f = 0;
  double embedding_b = 0;
  double cell_b = 0;
  double softmax_b = 0;
  double hop = 0;  // seconds of one transfer between devices, in either direction
  // Seconds of the reductions of weight gradients, which run after the backward pass.
  double reduce_embedding = 0;
  double reduce_cell = 0;
  double reduce_softmax = 0;
};

struct GridShape {
  int sequence = 1;
  int layers = 1;
  int devices = 1;  // degree of layer parallelism
};

double forward_time(const StepTimes& times, const GridShape& shape);
double backward_time(const StepTimes& times, const GridShape& shape);

}  // namespace lento::predict
