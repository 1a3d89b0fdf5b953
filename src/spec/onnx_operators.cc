// Lists the element-wise operators and the reductions of ONNX once. Shape rules, the mapper and the predictor
// must agree on which operators cost one operation per element.
#include "spec/onnx_operators.h"

namespace lento::spec {
namespace {

// clang-format off
constexpr std::string_view kUnary[] = {
    "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip", "Elu", "Selu", "Celu", "HardSigmoid", "HardSwish",
    "Softplus", "Softsign", "Gelu", "Mish", "ThresholdedRelu", "Erf", "Exp", "Log", "Sqrt",
    "Reciprocal", "Neg", "Abs", "Sign", "Floor", "Ceil", "Round", "Sin", "Cos", "Tan", "Not", "IsNaN",
    "IsInf", "Cast", "Trilu", "QuantizeLinear", "DequantizeLinear", "FastGelu", "QuickGelu", "BiasGelu",
};
constexpr std::string_view kBinary[] = {
    "Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Max", "Min", "Mean", "Sum", "Mod", "And", "Or", "Xor",
    "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Where", "BitShift",
};
constexpr std::string_view kReductions[] = {
    "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare",
};
// clang-format on

}  // namespace

std::span<const std::string_view> unary_operators() {
  return kUnary;
}
std::span<const std::string_view> binary_operators() {
  return kBinary;
}
std::span<const std::string_view> reductions() {
  return kReductions;
}

}  // namespace lento::spec
