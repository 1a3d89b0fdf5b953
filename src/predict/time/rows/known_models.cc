// Sizes of models, as their makers publish them in config.json. The sizes of NeuSight's and llm-foundry's
// models come from their papers and recipes. Models of 2025 and later are read from share/lento/models.json.
#include "predict/time/rows/known_models.h"

#include <algorithm>
#include <cctype>

#include "embedded/model_files.h"

namespace lento::predict {
namespace {

struct Dense {
  const char* name;
  int64_t layers;
  int64_t hidden;
  int64_t heads;
  int64_t kv_heads;
  int64_t ffn;
  int64_t vocab;
  bool gated;
  bool tied;
  int64_t head_size = 0;
};

// Models under the names that people use, with the sizes of each model's config.json.
constexpr Dense kUsual[] = {
    {"llama-3.2-1b", 16, 2048, 32, 8, 8192, 128256, true, true},
    {"llama-3.2-3b", 28, 3072, 24, 8, 8192, 128256, true, true},
    {"codellama-34b", 48, 8192, 64, 8, 22016, 32000, true, false},
    {"llama-65b", 80, 8192, 64, 64, 22016, 32000, true, false},
    {"tinyllama-1.1b", 22, 2048, 32, 4, 5632, 32000, true, false},
    {"mistral-nemo-12b", 40, 5120, 32, 8, 14336, 131072, true, false, 128},
    {"mistral-small-24b", 40, 5120, 32, 8, 32768, 131072, true, false, 128},
    {"mistral-large-123b", 88, 12288, 96, 8, 28672, 32768, true, false},
    {"qwen2.5-0.5b", 24, 896, 14, 2, 4864, 151936, true, true},
    {"qwen2.5-1.5b", 28, 1536, 12, 2, 8960, 151936, true, true},
    {"qwen2.5-3b", 36, 2048, 16, 2, 11008, 151936, true, true},
    {"qwen2.5-7b", 28, 3584, 28, 4, 18944, 152064, true, false},
    {"qwen2.5-14b", 48, 5120, 40, 8, 13824, 152064, true, false},
    {"qwen2.5-32b", 64, 5120, 40, 8, 27648, 152064, true, false},
    {"qwen2.5-72b", 80, 8192, 64, 8, 29568, 152064, true, false},
    {"qwq-32b", 64, 5120, 40, 8, 27648, 152064, true, false},
    {"qwen3-0.6b", 28, 1024, 16, 8, 3072, 151936, true, true, 128},
    {"qwen3-1.7b", 28, 2048, 16, 8, 6144, 151936, true, true, 128},
    {"qwen3-4b", 36, 2560, 32, 8, 9728, 151936, true, true, 128},
    {"qwen3-14b", 40, 5120, 40, 8, 17408, 151936, true, false, 128},
    {"qwen3-32b", 64, 5120, 64, 8, 25600, 151936, true, false, 128},
    {"gemma-2-9b", 42, 3584, 16, 8, 14336, 256000, true, true, 256},
    {"gemma-2-27b", 46, 4608, 32, 16, 36864, 256000, true, true, 128},
    {"gemma-3-12b", 48, 3840, 16, 8, 15360, 262208, true, true, 256},
    {"gemma-3-27b", 62, 5376, 32, 16, 21504, 262208, true, true, 128},
    {"phi-4-14b", 40, 5120, 40, 10, 17920, 100352, true, false},
    {"phi-3-mini-3.8b", 32, 3072, 32, 32, 8192, 32064, true, false},
    {"yi-6b", 32, 4096, 32, 4, 11008, 64000, true, false},
    {"yi-34b", 60, 7168, 56, 8, 20480, 64000, true, false},
    {"olmo-2-7b", 32, 4096, 32, 32, 11008, 100352, true, false},
    {"olmo-2-32b", 64, 5120, 40, 8, 27648, 100352, true, false},
    {"gpt2-124m", 12, 768, 12, 12, 3072, 50257, false, true},
    {"gpt2-xl-1.5b", 48, 1600, 25, 25, 6400, 50257, false, true},
    {"gpt-j-6b", 28, 4096, 16, 16, 16384, 50400, false, false},
    {"gpt-neox-20b", 44, 6144, 64, 64, 24576, 50432, false, false},
};

constexpr Dense kDense[] = {
    {"llama-2-7b", 32, 4096, 32, 32, 11008, 32000, true, false},
    {"llama-2-13b", 40, 5120, 40, 40, 13824, 32000, true, false},
    {"llama-2-70b", 80, 8192, 64, 8, 28672, 32000, true, false},
    {"llama-3-8b", 32, 4096, 32, 8, 14336, 128256, true, false},
    {"llama-3-70b", 80, 8192, 64, 8, 28672, 128256, true, false},
    {"llama-3-405b", 126, 16384, 128, 8, 53248, 128256, true, false},
    {"mistral-7b", 32, 4096, 32, 8, 14336, 32000, true, false},
    {"qwen3-8b", 36, 4096, 32, 8, 12288, 151936, true, false},
    {"bloom", 70, 14336, 112, 112, 57344, 250880, false, true},
    {"gpt3-20b", 44, 6144, 48, 48, 24576, 51200, false, true},
    {"gpt3-175b", 96, 12288, 96, 96, 49152, 51200, false, true},
    {"nemotron-8b", 32, 4096, 32, 32, 16384, 256000, false, false},
    {"nemotron-340b", 96, 18432, 96, 8, 73728, 256000, false, false},
    // Models of NeuSight, in single precision.
    {"bert-large", 24, 1024, 16, 16, 4096, 30522, false, true},
    {"gpt2-large", 36, 1280, 20, 20, 5120, 50257, false, true},
    {"gpt3xl", 24, 3072, 24, 24, 12288, 50257, false, true},  // wider than OpenAI's of that name
    {"gpt327", 32, 2560, 32, 32, 10240, 50257, false, true},
    {"opt13", 24, 2048, 32, 32, 8192, 50272, false, true},
    // Models of llm-foundry.
    {"mpt-125m", 12, 768, 12, 12, 3072, 50368, false, true},
    {"mpt-350m", 24, 1024, 16, 16, 4096, 50368, false, true},
    {"mpt-760m", 24, 1536, 12, 12, 6144, 50368, false, true},
    {"mpt-1b", 24, 2048, 16, 16, 8192, 50368, false, true},
    {"mpt-3b", 32, 2560, 20, 20, 10240, 50368, false, true},
    {"mpt-7b", 32, 4096, 32, 32, 16384, 50368, false, true},
    {"mpt-13b", 40, 5120, 40, 40, 20480, 50368, false, true},
    {"mpt-30b", 48, 7168, 56, 56, 28672, 50368, false, true},
    {"mpt-70b", 80, 8192, 64, 64, 32768, 50368, false, true},
};

struct Mixture {
  const char* name;
  int64_t layers;
  int64_t hidden;
  int64_t heads;
  int64_t kv_heads;
  int64_t head_size;
  int64_t ffn;
  int64_t vocab;
  int64_t experts;
  int64_t active;
  int64_t shared_ffn;
};

constexpr Mixture kMixtures[] = {
    {"mixtral-8x7b", 32, 4096, 32, 8, 128, 14336, 32000, 8, 2, 0},
    {"qwen3-30b-a3b", 48, 2048, 32, 4, 128, 768, 151936, 128, 8, 0},
    {"qwen3-235b-a22b", 94, 4096, 64, 4, 128, 1536, 151936, 128, 8, 0},
    {"mixtral-8x22b", 56, 6144, 48, 8, 128, 16384, 32768, 8, 2, 0},
    {"qwen3-coder-480b-a35b", 62, 6144, 96, 8, 128, 2560, 151936, 160, 8, 0},
    {"gpt-oss-20b", 24, 2880, 64, 8, 64, 2880, 201088, 32, 4, 0},
    {"gpt-oss-120b", 36, 2880, 64, 8, 64, 2880, 201088, 128, 4, 0},
    {"dbrx-132b", 40, 6144, 48, 8, 128, 10752, 100352, 16, 4, 0},
    {"llama-4-scout", 48, 5120, 40, 8, 128, 8192, 202048, 16, 1, 8192},
    {"switch4", 24, 1024, 16, 16, 64, 4096, 32128, 4, 1, 0},
};

Transformer deepseek_v3() {
  Transformer m;
  m.layers = 61;
  m.hidden = 7168;
  m.heads = 128;
  m.kv_heads = 128;
  m.head_size = 192;
  m.value_size = 128;
  m.kv_rank = 512;
  m.query_rank = 1536;
  m.rotary_size = 64;
  m.ffn = 2048;
  m.vocab = 129280;
  m.experts = 256;
  m.active_experts = 8;
  m.shared_ffn = 2048;
  m.dense_layers = 3;
  m.dense_ffn = 18432;
  m.gated = true;
  m.tied = false;
  return m;
}

// Returns Llama 4 Maverick, in which every second layer has experts.
Transformer llama4_maverick() {
  Transformer m;
  m.layers = 48;
  m.hidden = 5120;
  m.heads = 40;
  m.kv_heads = 8;
  m.head_size = 128;
  m.ffn = 8192;
  m.vocab = 202048;
  m.experts = 128;
  m.active_experts = 1;
  m.shared_ffn = 8192;
  m.dense_layers = 24;
  m.dense_ffn = 16384;
  m.gated = true;
  m.tied = false;
  return m;
}

// Returns NeuSight's Switch-XL model: encoder and decoder of 24 layers each, every second layer with
// experts. The decoder's layers attend twice with 32 heads, so that the mean over 48 layers is 48 heads.
Transformer switch_xl4() {
  Transformer m;
  m.layers = 48;
  m.hidden = 1024;
  m.heads = 48;
  m.head_size = 128;
  m.ffn = 16384;
  m.vocab = 32128;
  m.experts = 4;
  m.active_experts = 1;
  m.dense_layers = 24;
  m.dense_ffn = 16384;
  return m;
}

// Keeps letters and digits. Text after a bracket is a remark on the run and is dropped.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, name.find('('))) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Maps a version to the name of its sizes: "Llama-3.1-70B", "Llama-3.3-70B" and "Llama-3-70B" have the same
// ones.
std::string shape_name(std::string name) {
  for (const std::string_view version : {"llama31", "llama33"}) {
    if (name.starts_with(version))
      name.replace(0, version.size(), "llama3");
  }
  return name;
}

// Returns a model whose layers are all dense, from the few sizes that differ between such models.
Transformer dense_model(const Dense& d) {
  Transformer m;
  m.layers = d.layers;
  m.hidden = d.hidden;
  m.heads = d.heads;
  m.kv_heads = d.kv_heads;
  m.head_size = d.head_size;
  m.ffn = d.ffn;
  m.vocab = d.vocab;
  m.gated = d.gated;
  m.tied = d.tied;
  return m;
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
  const auto is = [&name](const char* listed) {
    const std::string own = plain(listed);
    return name == own || name.starts_with(own + "fp8");
  };
  for (const Dense& d : kUsual) {
    if (is(d.name))
      return dense_model(d);
  }
  for (const Dense& d : kDense) {
    if (is(d.name))
      return dense_model(d);
  }
  for (const Mixture& x : kMixtures) {
    if (name != plain(x.name))
      continue;
    Transformer m;
    m.layers = x.layers;
    m.hidden = x.hidden;
    m.heads = x.heads;
    m.kv_heads = x.kv_heads;
    m.head_size = x.head_size;
    m.ffn = x.ffn;
    m.vocab = x.vocab;
    m.experts = x.experts;
    m.active_experts = x.active;
    m.shared_ffn = x.shared_ffn;
    m.gated = !name.starts_with("switch");
    m.tied = name.starts_with("switch");
    return m;
  }
  // DeepSeek-V3.2 attends sparsely and is among the shipped ones.
  if ((name.starts_with("deepseekv3") && !name.starts_with("deepseekv32")) || name.starts_with("deepseekr1"))
    return deepseek_v3();
  if (name == "llama4maverick")
    return llama4_maverick();
  if (name == "switchxl4")
    return switch_xl4();
  for (const ShippedModel& shipped : shipped_models()) {
    if (name == plain(shipped.name))
      return shipped.model;
  }
  return std::nullopt;
}

// Returns the names of all models that need no config.json.
const std::vector<std::string>& known_model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out{
        "deepseek-v3",
        "deepseek-r1",
        "llama-4-maverick",
        "switchxl4",
        "llama-3.1-8b",
        "llama-3.1-70b",
        "llama-3.1-405b",
        "llama-3.3-70b"};
    for (const Dense& d : kUsual)
      out.emplace_back(d.name);
    for (const Dense& d : kDense)
      out.emplace_back(d.name);
    for (const Mixture& m : kMixtures)
      out.emplace_back(m.name);
    for (const ShippedModel& shipped : shipped_models()) {
      const auto is = [&shipped](const std::string& listed) {
        return plain(listed) == plain(shipped.name);
      };
      if (std::ranges::none_of(out, is))
        out.push_back(shipped.name);
    }
    return out;
  }();
  return names;
}

}  // namespace lento::predict
