#include "spec/network.h"

namespace lento::spec {

int64_t Operation::integer(const std::string& key, int64_t fallback) const {
  const auto found = integers.find(key);
  return found == integers.end() || found->second.empty() ? fallback : found->second.front();
}

std::vector<int64_t> Operation::list(const std::string& key, std::vector<int64_t> fallback) const {
  const auto found = integers.find(key);
  return found == integers.end() ? fallback : found->second;
}

int64_t element_count(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return n;
}

std::string to_string(const Shape& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const int64_t d : shape) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

int64_t multiply_adds(const Network& network, const Operation& operation) {
  const auto& out = network.tensors[operation.outputs.front()].shape;
  const int64_t outputs = element_count(out);
  if (operation.type == "Conv" || operation.type == "ConvTranspose") {
    const Shape& w = network.tensors[operation.inputs[1]].shape;
    const int64_t per_weight = element_count(w) / w[0];
    if (operation.type == "Conv") return outputs * per_weight;
    return element_count(network.tensors[operation.inputs[0]].shape) * per_weight;
  }
  if (operation.type == "MatMul") return outputs * network.tensors[operation.inputs[0]].shape.back();
  if (operation.type == "Gemm") {
    const Shape& a = network.tensors[operation.inputs[0]].shape;
    return outputs * (operation.integer("transA", 0) ? a[0] : a[1]);
  }
  return outputs;
}

}  // namespace lento::spec
