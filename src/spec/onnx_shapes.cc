// Infers the outputs of one operation: applies the shape rule of its type, bounds the result, and folds the
// values of small integer constants.
#include "spec/onnx_shapes.h"

#include "spec/onnx_shape_rules.h"
#include "spec/shape_math.h"

namespace lento::spec {

using base::Error;
using base::Location;

bool infer_shapes(const Operation& operation, std::vector<Tensor>& tensors, const Location& where) {
  const ShapeRule rule = shape_rule(operation.type);
  if (!rule)
    return false;
  const Call call{operation, tensors, where};
  if (operation.inputs.empty())
    throw Error(where, operation.type + " without inputs");
  rule(call);
  bool constant = true;
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    constant = constant && (!call.has(i) || call.in(i).constant);
  for (const int id : operation.outputs) {
    if (id < 0)
      continue;
    check_shape(tensors[id].shape, where);
    tensors[id].constant = constant || operation.type == "Shape";
    tensors[id].element_bytes = call.in(0).element_bytes;
  }
  Tensor& out = tensors[operation.outputs.front()];
  std::vector<int64_t> values;
  if (out.constant && element_count(out.shape) <= int64_t(kMaxValues) && fold_values(call, values) &&
      values.size() == size_t(element_count(out.shape))) {
    out.values = std::move(values);
    out.has_values = true;
  }
  return true;
}

}  // namespace lento::spec
