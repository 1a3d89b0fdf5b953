// The workload graph: the operations of a neural network with every shape. Weights are shapes without
// numbers, because times and traffic do not depend on trained values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/read_report.h"

namespace lento::spec {

using Shape = std::vector<int64_t>;

struct Tensor {
  std::string name;
  Shape shape;
  int element_bytes = 4;
  bool constant = false;    // an initializer, or computed from constants only
  bool has_values = false;  // small integer constants (shapes, axes, indices) are kept
  std::vector<int64_t> values;
};

struct Operation {
  static constexpr int kAbsent = -1;  // an optional input that is not given
  std::string name;
  std::string type;                                      // ONNX operator: "Conv", "MatMul", ...
  std::vector<int> inputs;                               // tensors
  std::vector<int> outputs;                              // tensors
  std::map<std::string, std::vector<int64_t>> integers;  // attributes; a single number is a list of one
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  bool shape_unknown_to_us = false;  // no rule for the type: the shapes are those the file states

  int64_t integer(const std::string& key, int64_t fallback) const;
  std::vector<int64_t> list(const std::string& key, std::vector<int64_t> fallback = {}) const;
};

// Operations are in topological order: each reads earlier results only. Operations on constants are left out,
// and their results are constant tensors.
struct Network {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Operation> operations;
  std::vector<int> inputs;  // activations that come from outside
  std::vector<int> outputs;
};

int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);  // "1x3x224x224"

struct OnnxOptions {
  // Gives sizes of symbolic dimensions by name. The first dimension of every input is the batch, which is 1
  // unless named here.
  std::map<std::string, int64_t> dimensions;
};

// Reads an ONNX model (ModelProto, opset 7 and later), with or without weights. External weight files are
// never opened. Throws base::Error that names the node. An operator without a shape rule is accepted when the
// file states its output shapes, and `report` counts it as skipped.
Network read_onnx(const std::string& path, const OnnxOptions& options, base::ReadReport& report);
Network parse_onnx(
    const std::string& bytes,
    const std::string& file,
    const OnnxOptions& options,
    base::ReadReport& report);

}  // namespace lento::spec
