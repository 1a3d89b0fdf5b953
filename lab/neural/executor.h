// Runs a trained network: plain operators in single precision, so that real activations exist to be watched.
//
// Correct before fast: one thread, no fusion, every intermediate tensor is made. 28 operators of ONNX:
// Constant (by the reader), Conv, ConvTranspose, MatMul, BatchNormalization, Add, Sub, Mul, Div, Pow, Sqrt,
// Relu, Sigmoid, HardSigmoid, Clip, Softmax, AveragePool, MaxPool, GlobalAveragePool, ReduceMean, Resize,
// Concat, Slice, Shape, Cast, Reshape, Transpose, Squeeze.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec/trained.h"

namespace lento::tile {

// Called once for each result, in the order of computation.
using TensorWatch =
    std::function<void(const spec::Operation& operation, const std::string& name, const spec::TensorValue&)>;

// Returns the network's outputs. A result is kept until its last reader has run. Throws base::Error that
// names the node when an operator or one of its modes is unsupported, when shapes do not fit, or when the
// results kept at one time would exceed 2^28 elements (1 GiB of single precision).
std::vector<spec::TensorValue> run_network(
    const spec::TrainedNetwork& network,
    const std::vector<spec::TensorValue>& inputs,
    const TensorWatch& watch = {});

}  // namespace lento::tile
