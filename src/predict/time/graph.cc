// Lowers an ONNX graph to kernels, fuses element-wise operators into the kernel before them, and adds up
// times of the forward pass and of a training step.
#include "predict/time/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "predict/time/collective.h"
#include "predict/time/training/training.h"

namespace lento::predict {
namespace {

using Graph = spec::Network;
using spec::Operation;
using spec::Shape;

// Returns whether an operator moves no data or only renames it.
bool is_free(const std::string& type) {
  static const std::set<std::string>
      kFree{"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Cast", "Constant"};
  return kFree.contains(type);
}

// Returns whether a library runs the operator in the epilogue of the preceding kernel.
bool is_epilogue(const std::string& type) {
  static const std::set<std::string> kEpilogue{
      "Relu",
      "Clip",
      "LeakyRelu",
      "PRelu",
      "Sigmoid",
      "Tanh",
      "Add",
      "Mul",
      "HardSwish",
      "BatchNormalization",
      "Elu",
      "Gelu",
      "Erf",
      "HardSigmoid"};
  return kEpilogue.contains(type);
}

// Returns the shape of a tensor. Throws base::Error when a dimension is unknown.
const Shape& shape_of(const Graph& n, const Operation& op, int tensor) {
  const Shape& shape = n.tensors[size_t(tensor)].shape;
  if (std::ranges::any_of(shape, [](int64_t d) {
        return d < 1;
      }))
    throw base::Error(
        {op.name},
        "the shape " + spec::to_string(shape) + " has an unknown size",
        "name the symbolic dimension's size");
  return shape;
}

// Returns the elements of a tensor on one device. Activations are scaled by `scale` to the requested batch,
// constants are not.
double elements(const Graph& n, const Operation& op, int tensor, double scale) {
  if (tensor == Operation::kAbsent)
    return 0;
  const auto count = double(spec::element_count(shape_of(n, op, tensor)));
  return n.tensors[size_t(tensor)].constant ? count : count * scale;
}

// Scales a size that is proportional to the batch.
int64_t scaled(int64_t size, double scale) {
  return std::max<int64_t>(1, std::llround(double(size) * scale));
}

// Returns a convolution as a matrix product of pixels by filters. `scale` multiplies the batch.
Gemm convolution(const Graph& n, const Operation& op, double scale) {
  const Shape& in = shape_of(n, op, op.inputs[0]);
  const Shape& out = shape_of(n, op, op.outputs[0]);
  const Shape& weight = shape_of(n, op, op.inputs[1]);
  const int64_t groups = op.integer("group", 1);
  int64_t pixels = 1;
  int64_t window = 1;
  for (size_t i = 2; i < out.size(); ++i)
    pixels *= out[i];
  for (size_t i = 2; i < weight.size(); ++i)
    window *= weight[i];
  return {groups, scaled(in[0] * pixels, scale), std::max<int64_t>(1, out[1] / groups), weight[1] * window};
}

// Returns the operator MatMul as a product. Leading dimensions of B make it a batched product. When only A
// has leading dimensions, they multiply its rows.
Gemm product(const Graph& n, const Operation& op, double scale) {
  const Shape& a = shape_of(n, op, op.inputs[0]);
  const Shape& out = shape_of(n, op, op.outputs[0]);
  const Shape& b = shape_of(n, op, op.inputs[1]);
  const int64_t columns = out.empty() ? 1 : out.back();
  const int64_t results = scaled(spec::element_count(out) / columns, scale);
  const bool transposed = op.type == "Gemm" && op.integer("transA", 0) != 0;
  const int64_t k = a.empty() ? 1 : (transposed ? a.front() : a.back());
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < b.size(); ++i)
    batch *= b[i];
  const bool weights = n.tensors[size_t(op.inputs[1])].constant;
  if (!weights && batch > 1)
    batch = scaled(batch, scale);
  return {std::min(batch, results), std::max<int64_t>(1, results / batch), columns, k};
}

// Turns one operation of a graph into a kernel: a matrix product, or a stream of bytes.
GraphKernel kernel_of(const Graph& n, const Operation& op, double scale, Precision precision) {
  GraphKernel k{op.name.empty() ? op.type : op.name, op.type, false, {}, 0};
  for (const auto* side : {&op.inputs, &op.outputs})
    for (const int tensor : *side)
      k.bytes += elements(n, op, tensor, scale) * bytes_of(precision);
  const bool two = op.inputs.size() >= 2 && op.inputs[1] != Operation::kAbsent;
  if (op.type == "Conv" && two && shape_of(n, op, op.outputs[0]).size() >= 3) {
    k.gemm = convolution(n, op, scale);
    k.product = true;
  } else if ((op.type == "MatMul" || op.type == "Gemm") && two) {
    k.gemm = product(n, op, scale);
    k.product = true;
  }
  k.gemm.precision = precision;
  return k;
}

// Times a kernel of the graph. A convolution's unfolded operand is larger than its input because windows
// overlap. The cache serves these repeated reads, so their traffic is not charged to memory.
KernelTime time_kernel(const System& s, const GraphKernel& k, Precision precision, const Gemm& gemm) {
  if (!k.product)
    return predict_stream(s, k.bytes * s.stack.pointwise, 0, precision);
  const KernelTime t = predict_gemm(s, gemm);
  if (k.type != "Conv")
    return t;
  const KernelTime streamed = with_traffic(s, gemm.precision, t, k.bytes);
  return streamed.memory_s < t.memory_s ? streamed : t;
}

// Returns the seconds of both gradients of C[m,n] = A[m,k] B[k,n]: dA = dC B' and dB = A' dC.
double backward_s(const System& s, const GraphKernel& k, Precision precision) {
  if (!k.product)
    return 2 * time_kernel(s, k, precision, k.gemm).seconds;
  const Gemm& g = k.gemm;
  return time_kernel(s, k, precision, {g.batch, g.m, g.k, g.n, g.precision}).seconds +
         time_kernel(s, k, precision, {g.batch, g.k, g.n, g.m, g.precision}).seconds;
}

// Returns the key with the most seconds.
std::string largest(const std::map<std::string, double>& seconds) {
  return std::ranges::max_element(
             seconds,
             [](const auto& a, const auto& b) {
               return a.second < b.second;
             })
      ->first;
}

// Adds backward pass, optimizer, training memory and the reduction over replicas to the time of a graph.
void add_training(const System& s, const GraphRun& run, GraphTime& t) {
  for (const GraphKernel& k : run.kernels)
    t.backward_s += backward_s(s, k, run.precision);
  t.optimizer_s = predict_stream(s, run.parameters * kOptimizerBytes, 0, run.precision).seconds;
  t.memory_bytes += run.activations * bytes_of(run.precision) + 16 * run.parameters;
  if (run.replicas == 1)
    return;
  const double gradient = run.parameters * bytes_of(run.precision);
  const double exchange = predict_collective(s, {CollectiveOp::AllReduce, run.replicas, gradient, 1}).seconds;
  t.exchange_s = std::max(0.0, exchange - s.stack.overlap * t.backward_s);
}

}  // namespace

GraphRun lower_graph(const Graph& network, int64_t batch, Precision precision) {
  GraphRun run;
  run.name = network.name;
  run.precision = precision;
  int64_t exported = 1;
  if (!network.inputs.empty()) {
    const Shape& in = network.tensors[size_t(network.inputs[0])].shape;
    if (!in.empty())
      exported = std::max<int64_t>(1, in[0]);
  }
  const double scale = double(batch) / double(exported);
  std::map<int, int> readers;  // number of operations that read each tensor
  for (const Operation& op : network.operations)
    for (const int tensor : op.inputs)
      ++readers[tensor];
  std::map<int, size_t> made_by;  // the kernel that produces each tensor
  for (const Operation& op : network.operations) {
    const int from = op.inputs.empty() ? Operation::kAbsent : op.inputs[0];
    const auto maker = made_by.find(from);
    if (is_free(op.type)) {
      if (maker != made_by.end() && readers[from] == 1)
        made_by[op.outputs[0]] = maker->second;
      continue;
    }
    for (const int tensor : op.outputs)
      run.activations += elements(network, op, tensor, scale);
    if (is_epilogue(op.type) && maker != made_by.end() && readers[from] == 1) {
      for (size_t i = 1; i < op.inputs.size(); ++i)
        run.kernels[maker->second].bytes += elements(network, op, op.inputs[i], scale) * bytes_of(precision);
      made_by[op.outputs[0]] = maker->second;
      continue;
    }
    for (const int tensor : op.outputs)
      made_by[tensor] = run.kernels.size();
    run.kernels.push_back(kernel_of(network, op, scale, precision));
  }
  std::set<int> weights;
  for (const Operation& op : network.operations)
    for (const int tensor : op.inputs)
      if (tensor != Operation::kAbsent && network.tensors[size_t(tensor)].constant &&
          weights.insert(tensor).second)
        run.parameters += double(spec::element_count(shape_of(network, op, tensor)));
  return run;
}

// Times all kernels of a graph one after the other, in seconds.
GraphTime predict_graph(const System& system, const GraphRun& run) {
  GraphTime t;
  std::map<std::string, double> by_bound;
  double widest = 0;
  for (const GraphKernel& k : run.kernels) {
    t.kernels.push_back(time_kernel(system, k, run.precision, k.gemm));
    const KernelTime& time = t.kernels.back();
    (k.product ? t.products_s : t.streams_s) += time.seconds;
    by_bound[std::string(name(time.bound))] += time.seconds;
    widest = std::max(widest, k.bytes);
  }
  t.memory_bytes = run.parameters * bytes_of(run.precision) + widest;
  if (run.training)
    add_training(system, run, t);
  by_bound["link"] = t.exchange_s;
  t.seconds = t.products_s + t.streams_s + t.backward_s + t.optimizer_s + t.exchange_s;
  t.fits = t.memory_bytes <= system.chip.memory_bytes - system.chip.memory_reserve;
  t.bound = largest(by_bound);
  return t;
}

}  // namespace lento::predict
