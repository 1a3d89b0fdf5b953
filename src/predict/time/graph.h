// The time of any network given as a graph of operations (ONNX): each operation one kernel, in order.
//
// Convolutions run as implicit matrix products (batch x output pixels by input channels x window by output
// channels). Their inputs are read in place and not unfolded into a larger matrix. An element-wise operator
// that is the only reader of a kernel's result runs in that kernel's epilogue and adds only the traffic of
// its other operands. All other operators stream their data. Training derives the backward pass: two products
// for each forward product (gradients of inputs and of weights), twice the streamed bytes, an optimizer step
// over the weights, and an all-reduce of the gradients over the replicas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/hardware/system.h"
#include "predict/time/gemm.h"
#include "spec/network.h"

namespace lento::predict {

// One kernel of the forward pass on one device.
struct GraphKernel {
  std::string name;
  std::string type;
  bool product = false;
  Gemm gemm;         // for a matrix product or convolution
  double bytes = 0;  // operands and result, each counted once

  bool operator==(const GraphKernel&) const = default;
};

struct GraphRun {
  std::string name;
  std::vector<GraphKernel> kernels;
  double parameters = 0;
  double activations = 0;  // elements that training stores for the backward pass
  bool training = false;
  int replicas = 1;  // data-parallel devices, each with its own batch
  Precision precision = Precision::Fp16;

  bool operator==(const GraphRun&) const = default;
};

struct GraphTime {
  double seconds = 0;
  // Forward pass.
  double products_s = 0;
  double streams_s = 0;
  // Training only.
  double backward_s = 0;
  double optimizer_s = 0;
  double exchange_s = 0;  // part of the gradient exchange that does not overlap with the backward pass
  double memory_bytes = 0;
  bool fits = true;
  std::string bound;
  std::vector<KernelTime> kernels;  // one for each kernel of the forward pass
};

// Converts a network to kernels for `batch` samples on each device. The sizes of a graph exported for
// another batch are scaled in proportion. Throws base::Error when a shape is missing.
GraphRun lower_graph(const spec::Network& network, int64_t batch, Precision precision);

GraphTime predict_graph(const System& system, const GraphRun& run);

}  // namespace lento::predict
