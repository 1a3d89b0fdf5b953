// Infers the output shapes of ONNX operators, and the values of the small integer constants by which
// exporters compute shapes.
#pragma once

#include "base/error.h"
#include "spec/network.h"

namespace lento::spec {

// Sets shape, constant and values of the outputs of `operation` from its inputs. Returns false when its type
// has no rule. Throws base::Error at `where` when the inputs do not fit the operator.
bool infer_shapes(const Operation& operation, std::vector<Tensor>& tensors, const base::Location& where);

}  // namespace lento::spec
