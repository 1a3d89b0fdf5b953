// Sizes of the models that published tables give by name only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/time/model/transformer.h"

namespace lento::predict {

// Looks a model up by its usual name, ignoring case and separators: "Llama-3.1-70B", "LLAMA3_70B",
// "DeepSeek-R1-0528".
std::optional<Transformer> known_model(std::string_view name);
// Returns the model as a table row or a YAML workload describes it, without the counts of norms and biases,
// the longest sequence, the format of the weights and windows, which only a config.json gives.
std::optional<Transformer> known_sizes(std::string_view name);
const std::vector<std::string>& known_model_names();

}  // namespace lento::predict
