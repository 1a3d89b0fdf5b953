// The network that a chip is asked to run: an ONNX file, or a Hugging Face config.json of a transformer with
// what one inference does (spec/transformer_network.h).
#pragma once

#include <functional>
#include <string>

#include "base/read_report.h"
#include "spec/network.h"
#include "spec/transformer_network.h"

namespace lento::chip {

// A transformer given by its config.json. `read_shape` is desk::read_transformer_shape, plugged in by the
// caller because the rules of configurations belong to the house that predicts.
struct ConfiguredTransformer {
  std::function<spec::TransformerShape(const std::string& file)> read_shape;
  spec::TransformerRun run;
};

bool is_model_config(const std::string& file);  // by its name: *.json

// `transformer` counts for a config.json only, `onnx` for the others.
spec::Network read_chip_network(
    const std::string& file,
    const spec::OnnxOptions& onnx,
    const ConfiguredTransformer& transformer,
    base::ReadReport& report);

}  // namespace lento::chip
