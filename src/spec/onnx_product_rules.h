// Rules of onnx_shape_rules.h for windows over an input and for matrix products.
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
