// Folds small integer constants. Exporters compute target shapes at run time by chains such as Shape, Gather,
// Mul and Concat, and a shape is only defined once such a chain is evaluated.
#include <algorithm>

#include "spec/onnx_shape_rules.h"

namespace lento::spec {
namespace {

// Evaluates element-wise integer arithmetic. Returns false for any other operator.
bool combine(std::string_view type, int64_t a, int64_t b, int64_t& out) {
  const auto divide = [&]() -> int64_t {
    if (b == 0 || (a == INT64_MIN && b == -1))
      return 0;
    return a / b;
  };
  if (type == "Add")
    return __builtin_add_overflow(a, b, &out), true;
  if (type == "Sub")
    return __builtin_sub_overflow(a, b, &out), true;
  if (type == "Mul")
    return __builtin_mul_overflow(a, b, &out), true;
  if (type == "Div") {
    out = divide();
    return true;
  }
  if (type == "Max") {
    out = std::max(a, b);
    return true;
  }
  if (type == "Min") {
    out = std::min(a, b);
    return true;
  }
  if (type == "Equal") {
    out = a == b;
    return true;
  }
  return false;
}

// Computes a slice of a constant shape tensor.
std::vector<int64_t> slice_values(const Call& call) {
  const auto& x = call.values(0);
  const auto starts = call.list("starts", 1);
  const auto ends = call.list("ends", 2);
  const auto steps = call.list("steps", 4);
  const int64_t step = attribute_at(steps, 0, 1);
  if (step == -1)
    return {x.rbegin(), x.rend()};
  std::vector<int64_t> out;
  const auto [from, to] =
      slice_bounds(attribute_at(starts, 0, 0), attribute_at(ends, 0, 0), int64_t(x.size()));
  for (int64_t i = from; i < to && step > 0; i += step)
    out.push_back(x[i]);
  return out;
}

}  // namespace

bool fold_values(const Call& call, std::vector<int64_t>& out) {
  const std::string& type = call.op.type;
  if (type == "Shape") {
    out = call.shape(0);
    return true;
  }
  if (call.op.inputs.empty())
    return false;
  for (size_t i = 0; i < call.op.inputs.size(); ++i) {
    if (call.has(i) && !call.in(i).has_values)
      return false;
  }
  if (type == "ConstantOfShape") {
    return out.assign(element_count(call.out().shape), call.op.integer("value", 0)), true;
  }
  if (type == "Range") {
    for (int64_t i = 0; i < call.out().shape[0]; ++i)
      out.push_back(call.values(0)[0] + i * call.values(2)[0]);
    return true;
  }
  const std::vector<int64_t> x = call.values(0);
  if (type == "Identity" || type == "Cast" || type == "Squeeze" || type == "Unsqueeze" || type == "Reshape" ||
      type == "Flatten" || type == "Floor" || type == "Ceil") {
    out = x;
    return true;
  }
  if (type == "Neg")
    return out = {},
           std::transform(
               x.begin(),
               x.end(),
               std::back_inserter(out),
               [](int64_t v) {
                 return v == INT64_MIN ? v : -v;
               }),
           true;
  if (type == "Concat") {
    for (size_t i = 0; i < call.op.inputs.size(); ++i)
      out.insert(out.end(), call.values(i).begin(), call.values(i).end());
    return true;
  }
  if (type == "Slice" && call.shape(0).size() == 1) {
    out = slice_values(call);
    return true;
  }
  if (type == "Gather" && call.shape(0).size() == 1) {
    for (const int64_t i : call.values(1)) {
      const int64_t at = i < 0 ? i + int64_t(x.size()) : i;
      if (at < 0 || at >= int64_t(x.size()))
        call.fail("index " + std::to_string(i) + " outside the " + std::to_string(x.size()) + " values");
      out.push_back(x[at]);
    }
    return true;
  }
  if (type == "Expand" && x.size() == 1)
    return out.assign(element_count(call.out().shape), x[0]), true;
  const auto at = [](const std::vector<int64_t>& v, size_t i) -> int64_t {
    if (v.size() == 1)
      return v[0];
    if (i < v.size())
      return v[i];
    return 0;
  };
  const size_t count = size_t(element_count(call.out().shape));
  if (type == "Where" && call.op.inputs.size() == 3) {
    for (size_t i = 0; i < count; ++i)
      out.push_back(at(x, i) ? at(call.values(1), i) : at(call.values(2), i));
    return true;
  }
  int64_t value;
  if (call.op.inputs.size() != 2 || !call.has(1) || !combine(type, 0, 1, value))
    return false;
  for (size_t i = 0; i < count; ++i) {
    combine(type, at(x, i), at(call.values(1), i), value);
    out.push_back(value);
  }
  return true;
}

}  // namespace lento::spec
