// Shapes of ONNX operators' outputs, with the small integer constants that exporters use to compute shapes.
#pragma once

#include "base/error.h"
#include "spec/network.h"

namespace lento::spec {

// Sets shape, constant and values of the outputs of `operation` from its inputs. False: no rule for the type.
// Throws base::Error at `where` when the inputs do not fit the operator.
bool infer_shapes(const Operation& operation, std::vector<Tensor>& tensors, const base::Location& where);

}  // namespace lento::spec
