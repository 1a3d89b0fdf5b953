// What both ONNX readers take from the protobuf: numbers of tensors and attributes of nodes. Internal to
// spec.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spec/network.h"

namespace onnx {
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace lento::spec {

int element_bytes(int data_type);
bool is_integer(int data_type);  // INT64, INT32 or BOOL: the types whose numbers are kept as integers

// The numbers of a FLOAT or is_integer tensor; fewer than `count` when the file does not hold them.
std::vector<double> tensor_numbers(const onnx::TensorProto& tensor, size_t count);

// Toward zero; the nearest bound when it does not fit.
int64_t to_integer(double v);

// Integers, numbers and texts; a list of floats in millionths.
void read_attributes(const onnx::NodeProto& node, Operation& op);
int64_t millionths(double v);

}  // namespace lento::spec
