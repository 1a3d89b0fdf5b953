// Converts an ONNX model to a Network. Exporters leave most shapes out, so the reader visits the nodes in
// order and infers the shapes of each from its inputs. Nodes on constants, by which exporters compute shapes,
// are folded and do not reach the network.
#include <onnx/onnx_pb.h>

#include <cmath>
#include <unordered_map>

#include "base/file.h"
#include "spec/network.h"
#include "spec/onnx_proto.h"
#include "spec/onnx_shapes.h"
#include "spec/shape_math.h"

namespace lento::spec {
namespace {

using base::Error;
using base::Location;
using base::ReadReport;

class Reader {
 public:
  Reader(
      const onnx::GraphProto& graph,
      const std::string& file,
      const OnnxOptions& options,
      ReadReport& report)
      : graph_(graph),
        file_(file),
        options_(options),
        report_(report) {
  }

  // Reads the graph with the shapes of all tensors.
  Network run() {
    check_nodes(file_, graph_.node_size());
    network_.name = graph_.name().substr(0, 200);
    for (int i = 0; i < graph_.initializer_size(); ++i)
      add_initializer(graph_.initializer(i), i);
    for (int i = 0; i < graph_.input_size(); ++i)
      add_input(graph_.input(i), i);
    check_dimensions();
    for (const auto& info : graph_.value_info())
      stated_[info.name()] = &info;
    for (const auto& info : graph_.output())
      stated_[info.name()] = &info;
    for (int i = 0; i < graph_.node_size(); ++i)
      add_node(graph_.node(i), i);
    for (const auto& output : graph_.output()) {
      const Location where = at("output '" + output.name().substr(0, 80) + "'");
      if (!names_.contains(output.name()))
        throw Error(where, "no node makes it");
      network_.outputs.push_back(names_.find(output.name(), where));
    }
    if (network_.outputs.empty())
      throw Error(at("graph"), "a graph without outputs");
    return std::move(network_);
  }

 private:
  Location at(const std::string& path) const {
    return {file_, 0, 0, path};
  }

  int add_tensor(const std::string& name, const Location& where) {
    const int id = names_.add(name, where);
    network_.tensors.emplace_back().name = name;
    return id;
  }

  void add_initializer(const onnx::TensorProto& proto, int i) {
    const Location where = value_location(file_, "initializer", i, proto.name());
    fill_constant(network_.tensors[add_tensor(proto.name(), where)], proto, where);
  }

  // Stores shape and, for small integer tensors, values of a constant.
  static void fill_constant(Tensor& tensor, const onnx::TensorProto& proto, const Location& where) {
    tensor.shape.assign(proto.dims().begin(), proto.dims().end());
    tensor.constant = true;
    tensor.element_bytes = element_bytes(proto.data_type());
    for (const int64_t d : tensor.shape) {
      if (d == 0)
        return;  // an empty constant stands for "not given" (Resize)
    }
    check_shape(tensor.shape, where);
    const int64_t count = element_count(tensor.shape);
    if (!is_integer(proto.data_type()) || count > int64_t(kMaxValues))
      return;
    const auto values = tensor_numbers(proto, size_t(count));
    if (values.size() != size_t(count))
      return;
    tensor.values.clear();
    for (const double v : values)
      tensor.values.push_back(to_integer(v));
    tensor.has_values = true;
  }

  // Adds an input of the graph.
  void add_input(const onnx::ValueInfoProto& info, int i) {
    if (names_.contains(info.name()))
      return;  // old exporters list initializers as inputs, too
    const Location where = value_location(file_, "input", i, info.name());
    const int id = add_tensor(info.name(), where);
    Tensor& tensor = network_.tensors[id];
    if (!info.type().has_tensor_type())
      throw Error(where, "an input that is no tensor");
    const auto& type = info.type().tensor_type();
    tensor.element_bytes = element_bytes(type.elem_type());
    for (int d = 0; d < type.shape().dim_size(); ++d)
      tensor.shape.push_back(extent(type.shape().dim(d), d, where));
    check_shape(tensor.shape, where);
    network_.inputs.push_back(id);
  }

  // Returns the size of a dimension. Free ones come from the options, and the first is the batch.
  int64_t extent(const onnx::TensorShapeProto::Dimension& dim, int position, const Location& where) const {
    const auto bound = options_.dimensions.find(dim.dim_param());
    if (!dim.dim_param().empty() && bound != options_.dimensions.end())
      return bound->second;
    if (position == 0)
      return 1;  // the batch
    if (dim.has_dim_value() && dim.dim_value() > 0)
      return dim.dim_value();
    throw Error(
        where,
        "dimension " + std::to_string(position) + " ('" + dim.dim_param().substr(0, 80) + "') is open",
        "give its size: --dim " + (dim.dim_param().empty() ? "NAME" : dim.dim_param().substr(0, 80)) + "=N");
  }

  // Refuses a size that was given for a dimension which no input has.
  void check_dimensions() const {
    std::vector<std::string> open;
    for (const auto& info : graph_.input())
      for (const auto& dim : info.type().tensor_type().shape().dim())
        if (!dim.dim_param().empty() && std::ranges::find(open, dim.dim_param()) == open.end())
          open.push_back(dim.dim_param().substr(0, 80));
    for (const auto& [name, size] : options_.dimensions)
      if (std::ranges::find(open, name) == open.end())
        throw Error(
            at("--dim " + name),
            "no input has a dimension of this name",
            open.empty() ? "all inputs have sizes, leave --dim out" : base::suggestion(name, open));
  }

  // Adds an operation.
  void add_node(const onnx::NodeProto& node, int i) {
    const Location where = node_location(file_, node, i);
    if (node.op_type() == "Constant")
      return add_constant(node, where);
    Operation op = operation_of(node, names_, where, [&](const std::string& name) {
      return add_tensor(name, where);
    });
    read_attributes(node, op);
    read_scales(op);
    if (op.type == "Resize" || op.type == "Upsample")
      drop_empty_inputs(op);
    if (!infer_shapes(op, network_.tensors, where))
      take_stated_shapes(op, where);
    bool constant = true;
    for (const int id : op.outputs)
      constant = constant && (id < 0 || network_.tensors[id].constant);
    ++report_.taken;
    if (!constant)
      network_.operations.push_back(std::move(op));
  }

  // Adds a constant operation as a constant tensor.
  void add_constant(const onnx::NodeProto& node, const Location& where) {
    const int id = add_tensor(node.output(0), where);
    Tensor& tensor = network_.tensors[id];
    tensor.constant = true;
    for (const auto& a : node.attribute()) {
      if (a.name() == "value") {
        fill_constant(tensor, a.t(), where);
        float_values_[id] = &a.t();
      } else if (a.name() == "value_int" || a.name() == "value_ints") {
        tensor.values.assign(a.ints().begin(), a.ints().end());
        if (a.name() == "value_int")
          tensor.values = {a.i()};
        else
          tensor.shape = {int64_t(tensor.values.size())};
        tensor.has_values = true;
      } else if (a.name() == "value_floats") {
        tensor.shape = {a.floats_size()};
      }
    }
  }

  // Resize and Upsample have their scales in a float tensor. They are kept as an integer attribute in
  // millionths.
  void read_scales(Operation& op) const {
    const size_t at = op.type == "Resize" && op.inputs.size() > 2 ? 2 : 1;
    if ((op.type != "Resize" && op.type != "Upsample") || op.inputs.size() <= at || op.inputs[at] < 0)
      return;
    const Tensor& tensor = network_.tensors[op.inputs[at]];
    if (tensor.shape.size() != 1 || tensor.shape[0] < 1 || tensor.shape[0] > 8)
      return;
    const onnx::TensorProto* proto = nullptr;
    if (const auto found = float_values_.find(op.inputs[at]); found != float_values_.end())
      proto = found->second;
    for (const auto& initializer : graph_.initializer()) {
      if (!proto && initializer.name() == tensor.name)
        proto = &initializer;
    }
    if (!proto)
      return;
    for (const double v : tensor_numbers(*proto, size_t(tensor.shape[0])))
      op.integers["scales"].push_back(millionths(v));
  }

  // Removes inputs of shape [0], by which exporters mark an absent optional input.
  void drop_empty_inputs(Operation& op) const {
    for (int& id : op.inputs) {
      if (id >= 0 && element_count(network_.tensors[id].shape) == 0)
        id = Operation::kAbsent;
    }
  }

  // Takes output shapes that the file states, when no rule computes them.
  void take_stated_shapes(Operation& op, const Location& where) {
    for (const int id : op.outputs) {
      if (id < 0)
        continue;
      Tensor& tensor = network_.tensors[id];
      const auto found = stated_.find(tensor.name);
      if (found == stated_.end() || !found->second->type().tensor_type().has_shape()) {
        throw Error(
            where,
            "operator '" + op.type.substr(0, 40) +
                "' is not known and the file does not state the shape of its output",
            "run ONNX shape inference on the model first, or replace the operator "
            "(docs/methods/mapping.md lists the known ones)");
      }
      const auto& type = found->second->type().tensor_type();
      for (int d = 0; d < type.shape().dim_size(); ++d)
        tensor.shape.push_back(extent(type.shape().dim(d), d, where));
      check_shape(tensor.shape, where);
    }
    op.shape_unknown_to_us = true;
    report_.skip(
        where,
        "operator '" + op.type.substr(0, 40) + "' is not known: taken as element-wise with the stated shape");
  }

  const onnx::GraphProto& graph_;
  const std::string& file_;
  const OnnxOptions& options_;
  ReadReport& report_;
  Network network_;
  ValueNames names_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> stated_;
  std::unordered_map<int, const onnx::TensorProto*> float_values_;
};

}  // namespace

Network parse_onnx(
    const std::string& bytes,
    const std::string& file,
    const OnnxOptions& options,
    ReadReport& report) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes) || !model.has_graph()) {
    throw Error(
        {file},
        "this is not an ONNX model",
        "needed is a binary ModelProto as torch.onnx.export or tf2onnx writes it");
  }
  return Reader(model.graph(), file, options, report).run();
}

Network read_onnx(const std::string& path, const OnnxOptions& options, ReadReport& report) {
  return parse_onnx(base::read_file(path, uint64_t{2} << 30), path, options, report);
}

}  // namespace lento::spec
