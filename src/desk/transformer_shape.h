// The shape of a transformer, read from a Hugging Face config.json for a chip to be mapped on.
#pragma once

#include <string>

#include "spec/transformer_network.h"

namespace lento::desk {

// Decoders as `lento predict` reads them, and vision transformers (vit, deit). Latent attention and layers of
// state-space models are refused; windows of attention are read as whole: an upper bound.
spec::TransformerShape read_transformer_shape(const std::string& file);

}  // namespace lento::desk
