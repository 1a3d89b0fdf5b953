// Any bytes as a trained ONNX model: an accepted small one is executed on a small picture.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "lab/neural/executor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const auto network = lento::spec::parse_trained_onnx(bytes, "fuzz");
    if (network.operations.size() > 4)
      return 0;
    std::vector<lento::spec::TensorValue> inputs;
    for (lento::spec::Shape shape : network.input_shapes) {
      for (int64_t& extent : shape)
        extent = std::clamp<int64_t>(extent, 1, 8);
      if (shape.size() > 4)
        return 0;
      const auto count = size_t(lento::spec::element_count(shape));
      inputs.push_back({shape, false, std::vector<float>(count, 1.5f), {}});
    }
    lento::tile::run_network(network, inputs);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
