// Lists the decoder architectures that the predictor covers, and names those that it refuses.
#include "predict/time/model/model_family.h"

namespace lento::predict {
namespace {

constexpr Family kFamilies[] = {
    {"llama"},
    {"mistral"},
    {"mistral3"},
    {"ministral"},
    {"ministral3"},
    {"mixtral"},
    {"nemotron-nas"},
    {"minicpm", true, kScale, 2, true},
    {"minicpm3", true, kScale, 2, true},
    {"orion", true, kScaleAndShift},
    {"qwen", true, kScale, 2, false, true},
    {"mimo", true, kScale, 2, false, true},
    {"seed_oss", true, kScale, 2, false, true},
    {"qwen2", true, kScale, 2, false, true},
    {"qwen2_moe", true, kScale, 2, false, true},
    {"qwen3", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_moe", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_vl_text", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_vl_moe_text", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_next", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_5_text", true, kScale, 2, false, false, false, false, kPerHead},
    {"qwen3_5_moe_text", true, kScale, 2, false, false, false, false, kPerHead},
    {"gemma", true, kScale, 2, true},
    {"gemma2", true, kScale, 4, true},
    {"gemma3", true, kScale, 4, true, false, false, false, kPerHead},
    {"gemma4_text", true, kScale, 4, true, false, false, false, kPerHead},
    {"gemma3_text", true, kScale, 4, true, false, false, false, kPerHead},
    {"cohere", true, kScale, 1, true},
    {"cohere2", true, kScale, 1, true},
    {"falcon", false, kScaleAndShift, 1, true},
    {"gpt2", false, kScaleAndShift, 2, true, true, true, true},
    {"gpt_bigcode", false, kScaleAndShift, 2, true, true, true, true},
    {"gpt_neo", false, kScaleAndShift, 2, true, false, true, true},
    {"gptj", false, kScaleAndShift, 1, false, false, false, true},
    {"gpt_neox", false, kScaleAndShift, 2, false, true, true, true},
    {"opt", false, kScaleAndShift, 2, true, true, true, true},
    {"bloom", false, kScaleAndShift, 2, true, true, true, true},
    {"mpt", false, kScale, 2, true},
    {"phi", false, kScaleAndShift, 1, false, true, true, true},
    {"phi-msft", false, kScaleAndShift, 1, false, true, true, true},
    {"phi3"},
    {"phi3_v"},
    {"olmo", true, kNone, 2},
    {"olmo2", true, kScale, 2, false, false, false, false, kWhole},
    {"olmo3", true, kScale, 2, false, false, false, false, kWhole},
    {"olmoe", true, kScale, 2, false, false, false, false, kWhole},
    {"starcoder2", false, kScaleAndShift, 2, true, true, true, true},
    {"stablelm", true, kScaleAndShift, 2},
    {"nemotron", false, kScaleAndShift, 2},
    {"dbrx", true, kScale, 2},
    {"chatglm", true, kScale, 2, false, true},
    {"glm", true, kScale, 2, false, true},
    {"glm4", true, kScale, 4, false, true},
    {"glm4_moe", true, kScale, 2, false, true},
    {"deepseek", true, kScale, 2},
    {"deepseek_v2", true, kScale, 2},
    {"deepseek_v3", true, kScale, 2},
    {"deepseek_v32", true, kScale, 2},
    {"kimi_k2", true, kScale, 2},
    {"kimi_k25", true, kScale, 2},
    {"glm4_moe_lite", true, kScale, 2},
    {"minimax"},
    {"minimax_text_01"},
    {"minimax_m1"},
    {"longcat_flash", true, kScale, 2},
    {"falcon_h1"},
    {"mimo_v2_flash"},
    {"mimo_v2"},
    {"dots1", true, kScale, 2, false, false, false, false, kPerHead},
    {"exaone4", true, kScale, 2, false, false, false, false, kPerHead},
    {"bailing_moe"},
    {"bailing_moe_v2"},
    {"arcee", false},
    {"apertus", false, kScale, 2, false, false, false, false, kPerHead},
    {"granitemoehybrid", true, kScale, 2, true},
    {"glm_moe_dsa", true, kScale, 2},
    {"llama4", true, kScale, 2},
    {"llama4_text", true, kScale, 2},
    {"gpt_oss", true, kScale, 2, false, true, true, true},
    {"minimax_m2", true, kScale, 2, false, false, false, false, kWhole},
    {"baichuan"},
    {"internlm"},
    {"internlm2"},
    {"yi"},
    {"granite"},
    {"granitemoe"},
    {"exaone"},
    {"smollm3", true, kScale, 2, true},
    {"ernie4_5", true, kScale, 2, true},
    {"ernie4_5_moe", true, kScale, 2, true},
    {"hunyuan_v1_dense", true, kScale, 2, true, false, false, false, kPerHead},
    {"nemotron_h", false, kScale, 1},
};

// Architectures with a part that no kernel model covers. They are refused, because a count or a time without
// that part would be wrong.
struct Unmodelled {
  std::string_view type;
  const char* what;
};
constexpr Unmodelled kUnmodelled[] = {
    {"deepseek_v4", "attention to compressed keys, with hyper-connections"},
    {"deepseek_ref", "attention to compressed keys, with hyper-connections"},
    {"gemma3n", "embeddings that each layer adds"},
    {"gemma3n_text", "embeddings that each layer adds"},
    {"minimax_m3", "attention to blocks of keys that an index chooses"},
    {"minimax_m3_vl", "attention to blocks of keys that an index chooses"},
    {"step3", "attention whose queries pass through two matrices"},
    {"step3_text", "attention whose queries pass through two matrices"},
    {"step3p5", "gates of heads, and other numbers of heads in the layers with a window"},
    {"step3p7", "gates of heads, and other numbers of heads in the layers with a window"},
    {"bailing_hybrid", "linear attention with decay by head"},
    {"kimi_linear", "the Kimi delta rule"},
    {"jamba", "states of Mamba-1"},
    {"lfm2", "short convolutions in place of attention"},
    {"lfm2_moe", "short convolutions in place of attention"},
    {"hunyuan_v1_moe", "numbers of experts that differ by layer"},
    {"bailing_moe_linear", "linear attention with decay by head"},
};

}  // namespace

// Returns the model family of a config.json. Throws base::Error with the reason when the family is not
// modelled.
const Family&
family_of(const std::string& type, const std::string& architecture, const base::Location& where) {
  for (const Family& family : kFamilies) {
    if (family.type == type)
      return family;
  }
  const std::string named = architecture.empty() ? "" : " ('" + architecture + "')";
  for (const Unmodelled& u : kUnmodelled) {
    if (u.type == type)
      throw base::Error(
          where,
          "the architecture '" + type + "'" + named + " has " + u.what + ", which is not modelled",
          "give the sizes of what comes nearest as 'model:' of a workload file");
  }
  std::string known;
  for (const Family& family : kFamilies)
    known += (known.empty() ? "" : ", ") + std::string(family.type);
  throw base::Error(
      where,
      type.empty() ? "the configuration names no 'model_type'" + named
                   : "the architecture '" + type + "'" + named + " is not known",
      "decoders that are: " + known + "; others as 'model:' of a workload file");
}

}  // namespace lento::predict
