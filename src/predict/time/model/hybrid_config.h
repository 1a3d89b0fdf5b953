// Reads the kinds of layers of models whose layers differ: with attention, recurrent states, dense parts or
// experts.
#pragma once

#include <string>

#include "predict/time/model/config_keys.h"
#include "predict/time/model/model_family.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {

// Returns one letter per layer (hybrid_config.cc), or an empty text when the configuration does not list the
// kinds of its layers.
std::string layer_pattern(const Config& config);

// Fills the numbers of layers by kind and the sizes of states. Throws base::Error when the lists of layers
// contradict the number of layers.
void read_layers(const Config& config, const Family& family, Transformer& model);

}  // namespace lento::predict
