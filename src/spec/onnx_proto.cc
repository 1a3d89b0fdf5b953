// Extracts numbers, attributes and names from the ONNX protobuf for both readers. The protobuf may be
// hostile: every count is compared with the bytes that the file really holds.
#include "spec/onnx_proto.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstring>

namespace lento::spec {
namespace {

using base::Error;
using base::Location;

// Appends numbers from raw bytes.
template <class T>
void append_raw(const std::string& raw, size_t count, std::vector<double>& out) {
  for (size_t i = 0; i < count && (i + 1) * sizeof(T) <= raw.size(); ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    out.push_back(double(value));
  }
}

}  // namespace

int ValueNames::add(const std::string& name, const Location& where) {
  const auto [entry, fresh] = ids_.try_emplace(name, int(ids_.size()));
  if (!fresh)
    throw Error(where, "the value '" + name.substr(0, 80) + "' is made twice");
  return entry->second;
}

int ValueNames::find(const std::string& name, const Location& where) const {
  const auto found = ids_.find(name);
  if (found != ids_.end())
    return found->second;
  throw Error(
      where,
      "reads '" + name.substr(0, 80) + "', which nothing before it makes",
      "nodes must stand in an order in which each reads earlier results only; a cycle has none");
}

Location value_location(const std::string& file, const std::string& list, int i, const std::string& name) {
  return {file, 0, 0, list + "[" + std::to_string(i) + "] '" + name.substr(0, 80) + "'"};
}

void check_nodes(const std::string& file, int nodes) {
  if (nodes > 200'000)
    throw Error({file, 0, 0, "graph"}, "more than 200,000 nodes");
}

Operation operation_of(
    const onnx::NodeProto& node,
    const ValueNames& names,
    const Location& where,
    const std::function<int(const std::string&)>& add) {
  Operation op;
  op.type = node.op_type();
  op.name = node.name().empty() ? node.output(0) : node.name();
  for (const auto& name : node.input())
    op.inputs.push_back(name.empty() ? Operation::kAbsent : names.find(name, where));
  for (const auto& name : node.output())
    op.outputs.push_back(name.empty() ? Operation::kAbsent : add(name));
  return op;
}

Location node_location(const std::string& file, const onnx::NodeProto& node, int i) {
  const Location where{
      file,
      0,
      0,
      "node[" + std::to_string(i) + "] '" + node.name().substr(0, 80) + "' (" + node.op_type().substr(0, 40) +
          ")"};
  if (node.output_size() == 0 || node.output(0).empty())
    throw Error(where, "a node without outputs");
  return where;
}

// Returns the bytes of an element.
int element_bytes(int data_type) {
  using onnx::TensorProto;
  switch (data_type) {
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
      return 8;
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
    case TensorProto::INT16:
    case TensorProto::UINT16:
      return 2;
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return 1;
    default:
      return 4;
  }
}

std::vector<double> tensor_numbers(const onnx::TensorProto& tensor, size_t count) {
  using onnx::TensorProto;
  std::vector<double> out;
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case TensorProto::INT64:
      append_raw<int64_t>(raw, count, out);
      for (int i = 0; raw.empty() && i < tensor.int64_data_size(); ++i)
        out.push_back(double(tensor.int64_data(i)));
      break;
    case TensorProto::INT32:
      append_raw<int32_t>(raw, count, out);
      for (int i = 0; raw.empty() && i < tensor.int32_data_size(); ++i)
        out.push_back(tensor.int32_data(i));
      break;
    case TensorProto::BOOL:
      append_raw<uint8_t>(raw, count, out);
      for (int i = 0; raw.empty() && i < tensor.int32_data_size(); ++i)
        out.push_back(tensor.int32_data(i));
      break;
    case TensorProto::FLOAT:
      append_raw<float>(raw, count, out);
      for (int i = 0; raw.empty() && i < tensor.float_data_size(); ++i)
        out.push_back(tensor.float_data(i));
      break;
    default:
      break;
  }
  if (out.size() > count)
    out.resize(count);
  return out;
}

bool is_integer(int data_type) {
  using onnx::TensorProto;
  return data_type == TensorProto::INT64 || data_type == TensorProto::INT32 || data_type == TensorProto::BOOL;
}

int64_t to_integer(double v) {
  if (std::isnan(v))
    return 0;
  if (std::abs(v) < 9e18)
    return int64_t(v);
  if (v < 0)
    return INT64_MIN;
  return INT64_MAX;
}

int64_t millionths(double v) {
  if (std::abs(v) < 1e6)
    return std::llround(v * 1e6);
  return 0;
}

void read_attributes(const onnx::NodeProto& node, Operation& op) {
  for (const auto& a : node.attribute()) {
    switch (a.type()) {
      case onnx::AttributeProto::INT:
        op.integers[a.name()] = {a.i()};
        break;
      case onnx::AttributeProto::INTS:
        op.integers[a.name()] = {a.ints().begin(), a.ints().end()};
        break;
      case onnx::AttributeProto::FLOAT:
        op.numbers[a.name()] = a.f();
        break;
      case onnx::AttributeProto::FLOATS:
        for (const float f : a.floats())
          op.integers[a.name()].push_back(millionths(f));
        break;
      case onnx::AttributeProto::STRING:
        op.texts[a.name()] = a.s();
        break;
      case onnx::AttributeProto::TENSOR:
        if (is_integer(a.t().data_type())) {
          for (const double v : tensor_numbers(a.t(), 1))
            op.integers[a.name()] = {int64_t(v)};
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace lento::spec
