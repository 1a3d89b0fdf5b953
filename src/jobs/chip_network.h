// The network that a chip is asked to run: an ONNX file, or a Hugging Face config.json of a transformer with
// what one inference does (spec/transformer_network.h).
#pragma once

#include <string>

#include "base/read_report.h"
#include "spec/network.h"
#include "spec/transformer_network.h"

namespace lento::jobs {

// Decoders as `lento predict` reads them, and vision transformers (vit, deit). Latent attention and layers of
// state-space models are refused; windows of attention are read as whole: an upper bound.
spec::TransformerShape read_transformer_shape(const std::string& file);

bool is_model_config(const std::string& file);  // by its name: *.json

// `run` counts for a config.json only, `onnx` for the others.
spec::Network read_chip_network(
    const std::string& file,
    const spec::OnnxOptions& onnx,
    const spec::TransformerRun& run,
    base::ReadReport& report);

}  // namespace lento::jobs
