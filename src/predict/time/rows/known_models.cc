// Finds the sizes of models by the names that users and tables give them. share/lento/models.json holds the
// makers' config.json of each. The sizes of NeuSight's and llm-foundry's models come from their papers and
// recipes.
#include "predict/time/rows/known_models.h"

#include <algorithm>
#include <cctype>

#include "embedded/model_files.h"

namespace lento::predict {
namespace {

// Keeps letters and digits. Text from the first "(" on is a remark on the run and is removed.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Maps releases with equal sizes to one name: "Llama-3.1-70B" and "Llama-3.3-70B" become "Llama-3-70B".
std::string shape_name(std::string name) {
  for (const std::string_view version : {"llama31", "llama33"}) {
    if (name.starts_with(version))
      name.replace(0, version.size(), "llama3");
  }
  // DeepSeek's V3 and R1 releases differ only in their weights. V3.2 has sparse attention and other sizes.
  for (const std::string_view family : {"deepseekv3", "deepseekr1"}) {
    if (name.starts_with(family) && !name.starts_with("deepseekv32"))
      name = family;
  }
  return name;
}

struct ShippedModel {
  std::string name;
  Transformer model;
};
const std::vector<ShippedModel>& shipped_models() {
  static const std::vector<ShippedModel> models = [] {
    constexpr const char* kFile = "models.json";
    std::vector<ShippedModel> out;
    const base::Json list = base::parse_json(embedded::model_files(kFile), kFile);
    for (const base::Json& one : list.items())
      out.push_back(
          {one.string_or("model", "", {kFile}), transformer_from_config(one.at("config", {kFile}), kFile)});
    return out;
  }();
  return models;
}

}  // namespace

std::optional<Transformer> known_model(std::string_view given) {
  const std::string name = shape_name(plain(given));
  for (const ShippedModel& shipped : shipped_models()) {
    const std::string own = plain(shipped.name);
    if (name == own || name.starts_with(own + "fp8"))
      return shipped.model;
  }
  return std::nullopt;
}

std::optional<Transformer> known_sizes(std::string_view name) {
  std::optional<Transformer> out = known_model(name);
  if (out) {
    out->other_parameters = out->once_parameters = 0;
    out->positions = 0;
    out->weight_bits = out->expert_bits = 0;
    out->stored.clear();
    out->stored_products.reset();
    out->block_scales = false;
    out->cache_bits = 0;
    if (out->window_heads == 0)
      out->window = out->window_layers = 0;
  }
  return out;
}

// Returns the names of all models that need no config.json, in lower case.
const std::vector<std::string>& known_model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out{"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "llama-3.3-70b"};
    for (const ShippedModel& shipped : shipped_models()) {
      out.push_back(shipped.name);
      std::ranges::transform(out.back(), out.back().begin(), [](unsigned char c) {
        return std::tolower(c);
      });
    }
    return out;
  }();
  return names;
}

}  // namespace lento::predict
