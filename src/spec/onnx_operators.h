// Lists the ONNX operators that act element by element, for shapes, mapping and prediction.
#pragma once

#include <span>
#include <string_view>

namespace lento::spec {

std::span<const std::string_view> unary_operators();   // the output has the shape of the first input
std::span<const std::string_view> binary_operators();  // inputs are broadcast to one shape
std::span<const std::string_view> reductions();        // of values over axes, ArgMax and ArgMin left out

}  // namespace lento::spec
