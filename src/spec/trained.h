// A network with its trained numbers, for running it. Operators compute shapes at run time, so the file may
// leave sizes of inputs open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/network.h"

namespace lento::spec {

// Numbers in row-major order. Integers of any width are kept as 64 bits.
struct TensorValue {
  Shape shape;
  bool integer = false;
  std::vector<float> floats;      // when not `integer`
  std::vector<int64_t> integers;  // when `integer`
  size_t size() const {
    if (integer)
      return integers.size();
    return floats.size();
  }
};

struct TrainedNetwork {
  struct Value {
    std::string name;
    std::optional<TensorValue> constant;
  };
  std::string file;
  std::vector<Value> values;
  std::vector<Operation> operations;  // each reads earlier results only; inputs and outputs index `values`
  std::vector<int> inputs;
  std::vector<Shape> input_shapes;  // 0: left open by the file
  std::vector<int> outputs;
};

// Reads an ONNX model whose weights are in the file, as FLOAT, INT64, INT32 or BOOL. Throws base::Error that
// names the node or tensor. Weights in other files and other element types are refused.
TrainedNetwork read_trained_onnx(const std::string& path);
TrainedNetwork parse_trained_onnx(const std::string& bytes, const std::string& file);

}  // namespace lento::spec
