// Reads the network that a chip runs, from ONNX or through the reader of configurations that the caller plugs
// in.
#include "chip/read_network.h"

#include "base/error.h"

namespace lento::chip {

bool is_model_config(const std::string& file) {
  return file.ends_with(".json");
}

spec::Network read_chip_network(
    const std::string& file,
    const spec::OnnxOptions& onnx,
    const ConfiguredTransformer& transformer,
    base::ReadReport& report) {
  if (!is_model_config(file))
    return spec::read_onnx(file, onnx, report);
  LENTO_CHECK(transformer.read_shape, "nobody reads the configuration of a transformer");
  return spec::transformer_network(transformer.read_shape(file), transformer.run, file);
}

}  // namespace lento::chip
