// Reads the network that a chip is to run: an ONNX file, or a Hugging Face config.json of a transformer with
// the work of one inference (spec/transformer_network.h).
#pragma once

#include <functional>
#include <string>

#include "base/read_report.h"
#include "spec/network.h"
#include "spec/transformer_network.h"

namespace lento::chip {

// A transformer given by its config.json. The caller sets `read_shape` to desk::read_transformer_shape,
// because the rules for such files belong to the predict module, which this module may not use.
struct ConfiguredTransformer {
  std::function<spec::TransformerShape(const std::string& file)> read_shape;
  spec::TransformerRun run;
};

bool is_model_config(const std::string& file);  // by its name, *.json

// Reads the network of `file`: a config.json through `transformer.read_shape`, which must be set then, any
// other file as ONNX with the options `onnx`. Throws base::Error when the file is broken.
spec::Network read_chip_network(
    const std::string& file,
    const spec::OnnxOptions& onnx,
    const ConfiguredTransformer& transformer,
    base::ReadReport& report);

}  // namespace lento::chip
