// The time of any network given as a graph of operations (ONNX): each operation one kernel, in order.
//
// Convolutions run as implicit matrix products (batch x output pixels by input channels x window by output
// channels) whose operands are read as they lie in memory, not unfolded; element-wise operators that alone
// read a kernel's result run in its epilogue and only add what else they read; everything else streams.
// Training derives the backward pass: two products for each one forward (gradients of inputs and of weights),
// twice the streamed bytes, an optimizer step over the weights, and an all-reduce of their gradients over the
// replicas.
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
  Gemm gemm;         // of a product
  double bytes = 0;  // operands and result, each once

  bool operator==(const GraphKernel&) const = default;
};

struct GraphRun {
  std::string name;
  std::vector<GraphKernel> kernels;
  double parameters = 0;
  double activations = 0;  // results that training keeps for its backward pass, elements
  bool training = false;
  int replicas = 1;  // data-parallel devices, each with this batch
  Precision precision = Precision::Fp16;

  bool operator==(const GraphRun&) const = default;
};

struct GraphTime {
  double seconds = 0;
  // forward
  double products_s = 0;
  double streams_s = 0;
  // training
  double backward_s = 0;
  double optimizer_s = 0;
  double exchange_s = 0;  // of gradients, after what the stack hides behind the backward pass
  double memory_bytes = 0;
  bool fits = true;
  std::string bound;
  std::vector<KernelTime> kernels;  // forward, one each
};

// `batch` samples a device: the sizes of a graph exported for another number grow or shrink in proportion.
// Throws base::Error when a shape is missing.
GraphRun lower_graph(const spec::Network& network, int64_t batch, Precision precision);

GraphTime predict_graph(const System& system, const GraphRun& run);

}  // namespace lento::predict
