// Reads the shape of a transformer from its config.json by the rules of `lento predict`, for the chip to be
// mapped on.
#include "desk/transformer_shape.h"

#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "predict/time/model/transformer.h"

namespace lento::desk {
namespace {

using base::Error;
using base::Json;
using base::Location;
using spec::TransformerShape;

constexpr int64_t kMostSide = 1 << 16;

// Returns the sizes of a vision transformer from its config.json.
TransformerShape vision_shape(const Json& config, const std::string& file) {
  const Location where{file};
  const auto whole = [&](const char* key) {
    const Json* found = config.find(key);
    if (!found)
      throw Error(
          where,
          std::string("there is no '") + key + "'",
          "this is not the config.json of an image model");
    return found->integer(base::child(where, key), 1, kMostSide);
  };
  TransformerShape out;
  out.layers = whole("num_hidden_layers");
  out.hidden = whole("hidden_size");
  out.heads = whole("num_attention_heads");
  out.kv_heads = out.heads;
  if (out.hidden % out.heads != 0)
    throw Error(
        where,
        "a width of " + std::to_string(out.hidden) + " is no whole number of " + std::to_string(out.heads) +
            " heads");
  out.head_size = out.hidden / out.heads;
  out.ffn = whole("intermediate_size");
  out.image = whole("image_size");
  out.patch = whole("patch_size");
  out.channels = config.find("num_channels") ? whole("num_channels") : 3;
  return out;
}

// Throws base::Error for models that cannot be mapped to a chip.
void refuse(const predict::Transformer& m, const std::string& file) {
  const char* why = nullptr;
  if (m.kv_rank > 0)
    why = "latent attention is not mapped";
  if (m.is_hybrid())
    why = "a model whose layers are not alike is not mapped";
  if (why)
    throw Error({file}, why, "export the model as ONNX: `lento chip map` reads its operators");
}

// Returns the sizes of a decoder model.
TransformerShape decoder_shape(const predict::Transformer& m) {
  TransformerShape out;
  out.layers = m.layers;
  out.hidden = m.hidden;
  out.heads = m.heads;
  out.kv_heads = m.kv();
  out.head_size = m.head();
  out.ffn = m.inner();
  out.gated = m.gated;
  out.experts = m.experts;
  out.active_experts = m.active_experts;
  out.shared_ffn = m.shared_ffn;
  out.dense_layers = m.dense_layers;
  out.dense_ffn = m.dense_ffn > 0 ? m.dense_ffn : m.inner();
  out.vocab = m.vocab;
  return out;
}

}  // namespace

TransformerShape read_transformer_shape(const std::string& file) {
  const Json config = base::parse_json(base::read_file(file), file);
  const std::string type = config.string_or("model_type", "", {file});
  TransformerShape out;
  if (type == "vit" || type == "deit") {
    out = vision_shape(config, file);
  } else {
    const predict::Transformer model = predict::transformer_from_config(config, file);
    refuse(model, file);
    out = decoder_shape(model);
  }
  out.name = type;
  return out;
}

}  // namespace lento::desk
