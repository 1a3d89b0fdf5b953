// Executes the operators of a network in order and frees each result after its last reader.
#include "lab/neural/executor.h"

#include <map>

#include "lab/neural/operators.h"
#include "spec/shape_math.h"

namespace lento::tile {

using base::Error;
using spec::TensorValue;

const TensorValue& Call::input(size_t i) const {
  if (!has(i))
    refuse("input " + std::to_string(i) + " is missing");
  return *inputs[i];
}

const TensorValue& Call::floats(size_t i) const {
  const TensorValue& value = input(i);
  if (value.integer)
    refuse("input " + std::to_string(i) + " holds integers");
  return value;
}

std::vector<int64_t> Call::list(size_t i, const std::string& name, std::vector<int64_t> fallback) const {
  if (!has(i))
    return op.list(name, std::move(fallback));
  if (!inputs[i]->integer)
    refuse("input " + std::to_string(i) + " does not hold integers");
  return inputs[i]->integers;
}

float Call::number(size_t i, const std::string& name, double fallback) const {
  if (has(i) && floats(i).size() == 1)
    return inputs[i]->floats.front();
  const auto found = op.numbers.find(name);
  return float(found == op.numbers.end() ? fallback : found->second);
}

void Call::refuse(const std::string& what) const {
  throw Error(where, what);
}

void Call::check_planes(const TensorValue& in) const {
  if (in.shape.size() != 4 || in.size() == 0)
    refuse("the input must be N x C x H x W");
}

TensorValue Call::make(const spec::Shape& shape, bool integer) const {
  TensorValue out;
  out.integer = integer;
  out.shape = shape;
  bool empty = false;
  for (const int64_t d : shape)
    empty = empty || d == 0;
  if (empty)
    return out;
  spec::check_shape(shape, where);
  const int64_t count = spec::element_count(shape);
  if (count > kMaxLiveElements)
    refuse("a result of " + std::to_string(count) + " elements is too large");
  if (integer)
    out.integers.resize(size_t(count));
  else
    out.floats.resize(size_t(count));
  return out;
}

Operator find_operator(const std::string& type) {
  static const std::map<std::string, Operator> known = {
      {"Add", add},
      {"AveragePool", average_pool},
      {"BatchNormalization", batch_normalization},
      {"Cast", cast},
      {"Clip", clip},
      {"Concat", concat},
      {"Conv", convolution},
      {"ConvTranspose", transposed_convolution},
      {"Div", divide},
      {"GlobalAveragePool", global_average_pool},
      {"HardSigmoid", hard_sigmoid},
      {"MatMul", matrix_product},
      {"MaxPool", max_pool},
      {"Mul", multiply},
      {"Pow", power},
      {"ReduceMean", reduce_mean},
      {"Relu", relu},
      {"Reshape", reshape},
      {"Resize", resize},
      {"Shape", shape_of},
      {"Sigmoid", sigmoid},
      {"Slice", slice},
      {"Softmax", softmax},
      {"Sqrt", square_root},
      {"Squeeze", squeeze},
      {"Sub", subtract},
      {"Transpose", transpose},
  };
  const auto found = known.find(type);
  if (found == known.end())
    return nullptr;
  return found->second;
}

namespace {

class Run {
 public:
  Run(const spec::TrainedNetwork& network, const TensorWatch& watch)
      : network_(network),
        watch_(watch),
        results_(network.values.size()),
        last_reader_(network.values.size(), 0) {
    for (size_t i = 0; i < network.operations.size(); ++i)
      for (const int id : network.operations[i].inputs)
        if (id >= 0)
          last_reader_[size_t(id)] = i;
    for (const int id : network.outputs)
      last_reader_[size_t(id)] = network.operations.size();
  }

  std::vector<TensorValue> operator()(const std::vector<TensorValue>& inputs) {
    if (inputs.size() != network_.inputs.size())
      throw Error(
          {network_.file},
          "the network takes " + std::to_string(network_.inputs.size()) + " inputs, given were " +
              std::to_string(inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i)
      keep(network_.inputs[i], inputs[i], {network_.file});
    for (size_t i = 0; i < network_.operations.size(); ++i)
      step(i);
    std::vector<TensorValue> out;
    for (const int id : network_.outputs)
      out.push_back(*value(id, {network_.file}));
    return out;
  }

 private:
  void step(size_t i) {
    const spec::Operation& op = network_.operations[i];
    Call call{op, {}, {network_.file, 0, 0, "node '" + op.name.substr(0, 80) + "' (" + op.type + ")"}};
    const Operator run = find_operator(op.type);
    if (!run)
      call.refuse("the operator is not one that this executor knows");
    for (const int id : op.inputs)
      call.inputs.push_back(id < 0 ? nullptr : value(id, call.where));
    TensorValue result = run(call);
    const int id = op.outputs.front();
    if (watch_)
      watch_(op, network_.values[size_t(id)].name, result);
    keep(id, std::move(result), call.where);
    for (const int read : op.inputs)
      if (read >= 0 && last_reader_[size_t(read)] == i)
        release(size_t(read));
  }

  const TensorValue* value(int id, const base::Location& where) const {
    const auto at = size_t(id);
    if (network_.values[at].constant)
      return &*network_.values[at].constant;
    if (!results_[at])
      throw Error(
          where,
          "no number was computed for '" + network_.values[at].name.substr(0, 80) + "'",
          "second outputs of operators are not computed");
    return &*results_[at];
  }

  void keep(int id, TensorValue value, const base::Location& where) {
    live_ += int64_t(value.size());
    if (live_ > kMaxLiveElements)
      throw Error(where, "the results kept exceed " + std::to_string(kMaxLiveElements) + " elements");
    results_[size_t(id)] = std::move(value);
  }

  void release(size_t id) {
    if (!results_[id])
      return;
    live_ -= int64_t(results_[id]->size());
    results_[id].reset();
  }

  const spec::TrainedNetwork& network_;
  const TensorWatch& watch_;
  std::vector<std::optional<TensorValue>> results_;
  std::vector<size_t> last_reader_;
  int64_t live_ = 0;
};

}  // namespace

std::vector<TensorValue> run_network(
    const spec::TrainedNetwork& network,
    const std::vector<TensorValue>& inputs,
    const TensorWatch& watch) {
  return Run(network, watch)(inputs);
}

}  // namespace lento::tile
