// Reads 'quantization_config' of a config.json. Each tool that quantises writes another dialect of it: bits,
// groups that share a scale, the arithmetic of products, and the parts of the model that stay as they were.
//
// Bits of a weight include its share of the scales: a scale of 16 bits for a group of integers, of 8 bits for
// a group of floats, and a zero point as wide as a weight where the tool keeps one.
#include "predict/time/model/quantisation.h"

#include <algorithm>
#include <cctype>

namespace lento::predict {
namespace {

using base::Json;

struct Format {
  double bits = 0;
  std::string name;                        // "fp8", "int4"
  std::optional<Precision> products = {};  // arithmetic, where activations are narrow too
  bool blocks = false;
};

constexpr double kUsualGroup = 128;

Format integers(double bits, double group, double zero_bits, bool narrow = false) {
  Format f{bits, "int" + std::to_string(int(bits))};
  if (group > 0)
    f.bits += (16 + zero_bits) / group;
  f.products = bits > 4 ? (narrow ? Precision::Int8 : Precision::Int8Weights) : Precision::Int4Weights;
  return f;
}

Format eight_bit_floats(bool narrow = true) {
  return {8, "fp8", narrow ? Precision::Fp8 : Precision::Int8Weights};
}

Format four_bit_floats(bool narrow, double group, const char* name) {
  return {4 + 8 / group, name, narrow ? Precision::Fp4 : Precision::Int4Weights};
}

[[noreturn]] void refuse(const Config& c, const std::string& what) {
  throw base::Error(
      base::child(c.where(), "quantization_config"),
      what + " is not modelled",
      "fp8, fbgemm_fp8, modelopt, compressed-tensors, mxfp4, nvfp4, gptq, awq, auto-round, bitsandbytes, "
      "hqq, "
      "torchao, quark and eetq are; without 'quantization_config' weights count in the run's --precision");
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char ch) {
    return char(std::tolower(ch));
  });
  return text;
}

// Reads a description such as {"num_bits": 8, "type": "float", "group_size": 32}.
Format described(const Config& c, const Config& weights, bool narrow) {
  const auto bits = weights.whole({"num_bits", "bits"}, 0, 1, 64);
  const bool floats = weights.text("type") == "float";
  const double group = double(weights.whole({"group_size"}, 0, -1));
  if (bits == 8 && floats) {
    Format f = eight_bit_floats(narrow);
    f.blocks = weights.value("block_structure") != nullptr;
    return f;
  }
  if (bits == 4 && floats)
    return four_bit_floats(narrow, group > 0 ? group : 16, group == 32 ? "mxfp4" : "nvfp4");
  if (floats || bits < 2 || bits > 8)
    refuse(c, "a weight of " + std::to_string(bits) + " bits of the type '" + weights.text("type") + "'");
  return integers(double(bits), group, weights.flag("symmetric", true) ? 0 : double(bits), narrow);
}

// Reads 'config_groups' of compressed-tensors and ModelOpt: a format for each group of layers.
Format of_groups(const Config& c, const Config& q) {
  Format out;
  const Json* groups = q.value("config_groups");
  for (const auto& [name, group] : groups ? groups->members() : Json::Object{}) {
    const Config one(group, q.where());
    const Json* weights = one.value("weights");
    if (!weights)
      continue;
    const Json* activations = one.value("input_activations");
    const bool narrow = activations && Config(*activations, q.where()).whole({"num_bits"}, 16, 1, 64) <= 8;
    const Format format = described(c, Config(*weights, q.where()), narrow);
    if (out.bits > 0 && out.name != format.name)
      refuse(c, "a mixture of " + out.name + " and " + format.name + " in 'config_groups'");
    out = format;
  }
  if (out.bits == 0)
    refuse(c, "'" + q.text("quant_method") + "' without weights in 'config_groups'");
  return out;
}

Format of_modelopt(const Config& c, const Config& q) {
  const std::string algorithm = q.text("quant_algo");
  if (algorithm.starts_with("FP8") || algorithm == "MXFP8") {
    Format f = eight_bit_floats(!algorithm.ends_with("WO"));
    f.blocks = algorithm.starts_with("FP8_PB");
    return f;
  }
  if (algorithm == "NVFP4")
    return four_bit_floats(true, 16, "nvfp4");
  if (algorithm.starts_with("W4A"))
    return integers(4, double(q.whole({"group_size"}, int64_t(kUsualGroup))), 0);
  if (algorithm.empty())
    return of_groups(c, q);
  refuse(c, "quant_algo '" + algorithm + "'");
}

// 4 bits: NF4 or FP4 with a scale of 32 bits for 64 weights, itself in 8 bits with double quantisation.
Format of_bitsandbytes(const Config& c, const Config& q) {
  const auto loads = [&q](const std::string& key) {
    return q.flag(key, q.flag("_" + key, false));
  };
  if (loads("load_in_4bit")) {
    const std::string name = q.text("bnb_4bit_quant_type");
    const bool twice = q.flag("bnb_4bit_use_double_quant", false);
    return {4 + (twice ? 8.0 / 64 : 32.0 / 64), name.empty() ? "fp4" : name, Precision::Int4Weights};
  }
  if (loads("load_in_8bit"))
    return integers(8, 0, 0);
  refuse(c, "bitsandbytes without 'load_in_4bit' or 'load_in_8bit'");
}

// Reads a name of torchao: "int4_weight_only", or the class of an object: "Int4WeightOnlyConfig".
Format of_torchao(const Config& c, const Config& q) {
  std::string given = q.text("quant_type");
  double group = kUsualGroup;
  if (const Json* type = q.value("quant_type"); type && type->is_object()) {
    const Json* first = type->find("default");
    const Config of_class(first ? *first : *type, q.where());
    given = of_class.text("_type");
    if (const Json* data = of_class.value("_data"))
      group = double(Config(*data, q.where()).whole({"group_size"}, int64_t(group)));
  }
  std::string name = lower(given);
  std::erase(name, '_');
  const bool narrow = name.find("dynamicactivation") != std::string::npos ||
                      name.find("staticactivation") != std::string::npos;
  if (name.find("int4weight") != std::string::npos)
    return integers(4, group, 16);
  if (name.find("int8weight") != std::string::npos)
    return integers(8, 0, 0, narrow);
  if (name.find("float8weight") != std::string::npos || (narrow && name.starts_with("float8")))
    return eight_bit_floats(narrow);
  refuse(c, "torchao's quant_type '" + given + "'");
}

Format of_quark(const Config& c, const Config& q) {
  const Json* all = q.value("global_quant_config");
  const Json* weight = all ? all->find("weight") : nullptr;
  if (!weight || !weight->is_object())
    refuse(c, "quark without one 'weight' in 'global_quant_config'");
  const Config w(*weight, q.where());
  const std::string type = w.text("dtype");
  const Json* input = all->find("input_tensors");
  const bool narrow = input && input->is_object();
  const double group = double(w.whole({"group_size"}, 0, -1));
  if (type.starts_with("fp8"))
    return eight_bit_floats(true);
  if (type == "fp4" || type == "mxfp4")
    return four_bit_floats(narrow, group > 0 ? group : 32, "mxfp4");
  if (type == "int4" || type == "uint4")
    return integers(4, group > 0 ? group : kUsualGroup, type == "uint4" ? 4 : 0);
  if (type == "int8" || type == "uint8")
    return integers(8, 0, 0, narrow);
  refuse(c, "quark's dtype '" + type + "'");
}

Format of_hqq(const Config& c, const Config& q) {
  const Json* config = q.value("quant_config");
  const Json* weights = config ? config->find("weight_quant_params") : nullptr;
  const Json none = Json::object();
  const Config w(weights ? *weights : config ? *config : none, q.where());
  const int64_t bits = w.whole({"nbits"}, 0, 1, 64);
  if (bits < 1 || bits > 8)
    refuse(c, "hqq without 'nbits' from 1 to 8");
  return integers(double(bits), double(w.whole({"group_size"}, 64)), 16);
}

Format format_of(const Config& c, const Config& q, const std::string& method) {
  if (method == "fp8" || method == "fbgemm-fp8") {
    Format f = eight_bit_floats();
    f.blocks = q.value("weight_block_size") != nullptr;
    return f;
  }
  if (method == "mxfp4")
    return four_bit_floats(false, 32, "mxfp4");
  if (method == "nvfp4")
    return four_bit_floats(true, 16, "nvfp4");
  if (method.starts_with("gptq") || method.starts_with("awq") || method == "auto-round" ||
      method == "intel/auto-round") {
    const int64_t bits = q.whole({"bits", "w_bit"}, 4, 1, 64);
    if (bits > 8)
      refuse(c, "'" + method + "' with weights of " + std::to_string(bits) + " bits");
    return integers(double(bits), double(q.whole({"group_size", "q_group_size"}, 128, -1)), double(bits));
  }
  if (method.starts_with("modelopt"))
    return of_modelopt(c, q);
  if (method == "compressed-tensors")
    return of_groups(c, q);
  if (method == "bitsandbytes")
    return of_bitsandbytes(c, q);
  if (method == "torchao")
    return of_torchao(c, q);
  if (method == "quark")
    return of_quark(c, q);
  if (method == "hqq")
    return of_hqq(c, q);
  if (method == "eetq")
    return integers(8, 0, 0);
  refuse(c, method.empty() ? "a quantisation without 'quant_method'" : "quant_method '" + method + "'");
}

// Returns whether attention keeps its own precision in all layers.
bool spares_attention(const Config& q, int64_t layers) {
  int64_t listed = 0;
  for (const char* key :
       {"ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers", "exclude"}) {
    const Json* names = q.value(key);
    for (const Json& name : names ? names->items() : Json::Array{}) {
      const std::string text = name.is_string() ? name.string(q.where()) : "";
      const size_t at = text.find("self_attn");
      if (at == std::string::npos)
        continue;
      const bool of_one = std::any_of(text.begin(), text.begin() + std::ptrdiff_t(at), [](unsigned char ch) {
        return std::isdigit(ch) != 0;
      });
      listed += of_one ? 1 : layers;
    }
  }
  return listed >= layers;
}

// Returns whether the cache is stored in eight bits.
bool narrow_cache(const Config& q) {
  const Json* scheme = q.value("kv_cache_scheme");
  if (scheme && scheme->is_object())
    return Config(*scheme, q.where()).whole({"num_bits"}, 16, 1, 64) <= 8;
  if (scheme)
    return true;  // "static": scales of an fp8 cache are in the checkpoint
  return q.text("kv_cache_quant_algo").find('8') != std::string::npos;
}

}  // namespace

void read_quantisation(const Config& c, Transformer& m) {
  const Json* given = c.value("quantization_config");
  if (!given)
    given = c.value("compression_config");
  if (!given || !given->is_object())
    return;
  const Config outer(*given, base::child(c.where(), "quantization_config"));
  std::string method = lower(outer.text("quant_method"));
  std::ranges::replace(method, '_', '-');
  if (method.empty() && (outer.value("load_in_4bit") || outer.value("load_in_8bit")))
    method = "bitsandbytes";
  const Json* inner = outer.value("quantization");
  const Config q(inner && inner->is_object() ? *inner : *given, outer.where());
  const Format format = format_of(c, q, method);
  m.stored = format.name;
  m.expert_bits = format.bits;
  m.stored_products = format.products;
  m.block_scales = format.blocks;
  m.cache_bits = narrow_cache(q) || narrow_cache(outer) ? 8 : 0;
  if (!spares_attention(q, m.layers) && method != "mxfp4")
    m.weight_bits = format.bits;
  else if (m.experts == 1)
    refuse(c, "a dense model whose attention is not quantised ('ignore')");
}

}  // namespace lento::predict
