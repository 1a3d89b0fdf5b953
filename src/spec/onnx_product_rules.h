// Shape rules (onnx_shape_rules.h) of windows over an input and of matrix products.
#pragma once

#include "spec/onnx_shape_rules.h"

namespace lento::spec {

void convolution(const Call& call);
void transposed_convolution(const Call& call);
void pooling(const Call& call);
void global_pooling(const Call& call);
void gemm(const Call& call);
void matrix_product(const Call& call);

}  // namespace lento::spec
