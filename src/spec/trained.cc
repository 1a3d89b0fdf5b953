// Reads an ONNX model with its trained numbers, for running it. Unlike onnx.cc it infers no shapes: operators
// compute them at run time, so models with open input sizes are accepted.
#include "spec/trained.h"

#include <onnx/onnx_pb.h>

#include "base/file.h"
#include "spec/onnx_proto.h"
#include "spec/shape_math.h"

namespace lento::spec {
namespace {

using base::Error;
using base::Location;

constexpr uint64_t kMaxFile = uint64_t{1} << 30;

class TrainedReader {
 public:
  TrainedReader(const onnx::GraphProto& graph, const std::string& file)
      : graph_(graph),
        file_(file) {
  }

  // Reads a network with the values of its weights.
  TrainedNetwork run() {
    check_nodes(file_, graph_.node_size());
    out_.file = file_;
    for (int i = 0; i < graph_.initializer_size(); ++i)
      add_constant(graph_.initializer(i), i);
    for (int i = 0; i < graph_.input_size(); ++i)
      add_input(graph_.input(i), i);
    for (int i = 0; i < graph_.node_size(); ++i)
      add_node(graph_.node(i), i);
    for (const auto& output : graph_.output())
      out_.outputs.push_back(names_.find(output.name(), at("output '" + output.name().substr(0, 80) + "'")));
    if (out_.outputs.empty())
      throw Error(at("graph"), "a graph without outputs");
    return std::move(out_);
  }

 private:
  Location at(const std::string& path) const {
    return {file_, 0, 0, path};
  }

  int add(const std::string& name, const Location& where) {
    const int id = names_.add(name, where);
    out_.values.push_back({name, std::nullopt});
    return id;
  }

  void add_constant(const onnx::TensorProto& proto, int i) {
    const Location where = value_location(file_, "initializer", i, proto.name());
    const int id = add(proto.name(), where);
    out_.values[size_t(id)].constant = numbers(proto, where);
  }

  // Returns the numbers of a constant.
  static TensorValue numbers(const onnx::TensorProto& proto, const Location& where) {
    TensorValue out;
    out.integer = is_integer(proto.data_type());
    if (!out.integer && proto.data_type() != onnx::TensorProto::FLOAT)
      throw Error(
          where,
          "numbers of element type " + std::to_string(proto.data_type()),
          "FLOAT, INT64, INT32 and BOOL are read");
    out.shape.assign(proto.dims().begin(), proto.dims().end());
    bool empty = false;
    for (const int64_t d : out.shape)
      empty = empty || d == 0;
    if (empty)
      return out;
    check_shape(out.shape, where);
    const auto count = size_t(element_count(out.shape));
    const std::vector<double> all = tensor_numbers(proto, count);
    if (all.size() != count)
      throw Error(
          where,
          "the file holds " + std::to_string(all.size()) + " of " + std::to_string(count) + " numbers",
          "weights must be inside the model file");
    if (out.integer)
      for (const double v : all)
        out.integers.push_back(to_integer(v));
    else
      out.floats.assign(all.begin(), all.end());
    return out;
  }

  // Adds an input of the graph.
  void add_input(const onnx::ValueInfoProto& info, int i) {
    if (names_.contains(info.name()))
      return;  // old exporters list initializers as inputs, too
    const Location where = value_location(file_, "input", i, info.name());
    Shape shape;
    for (const auto& dim : info.type().tensor_type().shape().dim())
      shape.push_back(dim.dim_value() > 0 ? dim.dim_value() : 0);
    out_.inputs.push_back(add(info.name(), where));
    out_.input_shapes.push_back(std::move(shape));
  }

  // Adds an operation, or a constant.
  void add_node(const onnx::NodeProto& node, int i) {
    const Location where = node_location(file_, node, i);
    if (node.op_type() == "Constant") {
      const int id = add(node.output(0), where);
      for (const auto& a : node.attribute())
        if (a.name() == "value")
          out_.values[size_t(id)].constant = numbers(a.t(), where);
      if (!out_.values[size_t(id)].constant)
        throw Error(where, "a constant without the attribute 'value'");
      return;
    }
    Operation op = operation_of(node, names_, where, [&](const std::string& name) {
      return add(name, where);
    });
    read_attributes(node, op);
    out_.operations.push_back(std::move(op));
  }

  const onnx::GraphProto& graph_;
  const std::string& file_;
  TrainedNetwork out_;
  ValueNames names_;
};

}  // namespace

TrainedNetwork parse_trained_onnx(const std::string& bytes, const std::string& file) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes) || !model.has_graph())
    throw Error({file}, "this is not an ONNX model", "needed is a binary ModelProto");
  return TrainedReader(model.graph(), file).run();
}

TrainedNetwork read_trained_onnx(const std::string& path) {
  return parse_trained_onnx(base::read_file(path, kMaxFile), path);
}

}  // namespace lento::spec
