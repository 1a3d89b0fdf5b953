// Reads the shape of a transformer from a Hugging Face config.json, to map it on a chip.
#pragma once

#include <string>

#include "spec/transformer_network.h"

namespace lento::desk {

// Reads decoders as `lento predict` does, and vision transformers (vit, deit). Throws for latent attention
// and state-space layers. Windowed attention is read as full attention, which is an upper bound.
spec::TransformerShape read_transformer_shape(const std::string& file);

}  // namespace lento::desk
