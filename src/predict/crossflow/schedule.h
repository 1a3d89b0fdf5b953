// List scheduling of the sequence x layer grid of an LSTM over devices and links, one kernel a device and one
// transfer a link at a time, as the released tool simulates it.
#pragma once

namespace lento::predict {

struct StepTimes {
  double embedding_f = 0, cell_f = 0, softmax_f = 0;
  double embedding_b = 0, cell_b = 0, softmax_b = 0;
  double hop = 0;                                                    // between devices, each way
  double reduce_embedding = 0, reduce_cell = 0, reduce_softmax = 0;  // of weights, after the backward pass
};

struct GridShape {
  int sequence = 1, layers = 1, devices = 1;  // devices: layer parallelism
};

double forward_time(const StepTimes& times, const GridShape& shape);
double backward_time(const StepTimes& times, const GridShape& shape);

}  // namespace lento::predict
