// Formats of stored weights, in each dialect that tools write, and their memory.
#include "predict/time/model/quantisation.h"

#include <gmock/gmock.h>

#include "predict/time/rows/known_models.h"
#include "predict/time/serving/inference.h"
#include "predict/time/training/training.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

Transformer with(const std::string& quantisation, const std::string& more = "") {
  const std::string text = R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256,
    "tie_word_embeddings": false)" +
                           more + (quantisation.empty() ? "" : ", \"quantization_config\": " + quantisation) +
                           "}";
  return transformer_from_config(base::parse_json(text, "c"), "c");
}

const char* const kExperts = R"(, "num_local_experts": 8, "num_experts_per_tok": 2)";

struct Case {
  const char* config;
  const char* stored;
  double bits;
};
constexpr Case kCases[] = {
    {R"({"quant_method": "fp8", "activation_scheme": "dynamic"})", "fp8", 8},
    {R"({"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0})", "fp8", 8},
    {R"({"quant_method": "modelopt", "quant_algo": "FP8", "config_groups": {"group_0":
         {"weights": {"num_bits": 8, "type": "float"}}}})",
     "fp8",
     8},
    {R"({"quant_method": "modelopt", "quantization": {"quant_algo": "NVFP4"}})", "nvfp4", 4.5},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"input_activations":
         {"num_bits": 8, "type": "float"}, "weights": {"num_bits": 8, "type": "float"}}}})",
     "fp8",
     8},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"input_activations": null,
         "weights": {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": true}}}})",
     "int4",
     4.125},
    {R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"input_activations":
         {"num_bits": 8, "type": "int"}, "weights": {"num_bits": 8, "type": "int"}}}})",
     "int8",
     8},
    {R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_quant_type": "nf4",
         "bnb_4bit_use_double_quant": true})",
     "nf4",
     4.125},
    {R"({"_load_in_8bit": true, "load_in_8bit": true})", "int8", 8},
    {R"({"quant_method": "gptq", "bits": 4, "group_size": 128})", "int4", 4.15625},
    {R"({"quant_method": "gptq", "bits": 8, "group_size": -1})", "int8", 8},
    {R"({"quant_method": "awq", "bits": 4, "group_size": 64})", "int4", 4.3125},
    {R"({"quant_method": "hqq", "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64}}})",
     "int4",
     4.5},
    {R"({"quant_method": "torchao", "quant_type": "int4_weight_only"})", "int4", 4.25},
    {R"({"quant_method": "torchao", "quant_type": {"default": {"_type": "Float8WeightOnlyConfig"}}})",
     "fp8",
     8},
    {R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}}})", "fp8", 8},
    {R"({"quant_method": "eetq", "weights": "int8"})", "int8", 8}};

TEST(Quantisation, EachDialectIsReadInBitsOfAWeightWithItsScales) {
  for (const Case& c : kCases) {
    const Transformer m = with(c.config);
    EXPECT_EQ(m.stored, c.stored) << c.config;
    EXPECT_DOUBLE_EQ(m.weight_bits, c.bits) << c.config;
    EXPECT_DOUBLE_EQ(m.expert_bits, c.bits) << c.config;
  }
}

// Weights taken for 16 bits when a checkpoint stores fewer would be a wrong memory without a word.
TEST(Quantisation, WhatIsNotModelledIsRefusedByName) {
  for (const auto& [config, name] :
       {std::pair{R"({"quant_method": "foobar"})", "'foobar'"},
        {R"({"bits": 4})", "without 'quant_method'"},
        {R"({"quant_method": "bitsandbytes"})", "load_in_4bit"},
        {R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"})", "MIXED_PRECISION"},
        {R"({"quant_method": "compressed-tensors"})", "config_groups"},
        {R"({"quant_method": "torchao", "quant_type": "autoquant"})", "autoquant"},
        {R"({"quant_method": "compressed-tensors", "config_groups": {
                "group_0": {"weights": {"num_bits": 8, "type": "float"}},
                "group_1": {"weights": {"num_bits": 4, "type": "int"}}}})",
         "a mixture of fp8 and int4"}}) {
    try {
      with(config);
      ADD_FAILURE() << config;
    } catch (const base::Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("is not modelled")) << config;
      EXPECT_THAT(e.what(), HasSubstr(name)) << config;
    }
  }
}

TEST(Quantisation, ExpertsAloneMayBeStoredInFewerBits) {
  const Transformer kimi = with(
      R"({"quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*self_attn.*"], "config_groups":
          {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}}})",
      kExperts);
  EXPECT_DOUBLE_EQ(kimi.expert_bits, 4.5);
  EXPECT_DOUBLE_EQ(kimi.weight_bits, 0);
  // Two layers of eighty that keep their precision are no reason to count all of them so.
  const Transformer few = with(
      R"({"quant_method": "fp8", "ignored_layers": ["model.layers.0.self_attn.q_proj", "lm_head"]})",
      kExperts);
  EXPECT_DOUBLE_EQ(few.weight_bits, 8);
}

TEST(Quantisation, TheCacheIsStoredAsTheCheckpointSays) {
  const auto bits = [](const std::string& more) {
    return with(R"({"quant_method": "modelopt", "quant_algo": "FP8")" + more + "}").cache_bits;
  };
  EXPECT_EQ(bits(""), 0);
  EXPECT_EQ(bits(R"(, "kv_cache_scheme": null)"), 0);
  EXPECT_EQ(bits(R"(, "kv_cache_scheme": {"num_bits": 8, "type": "float"})"), 8);
  EXPECT_EQ(bits(R"(, "kv_cache_quant_algo": "FP8")"), 8);
}

// 68.5 billion weights of products, and two tables of 1.05 billion in half precision.
TEST(Quantisation, MemoryOfServingFollowsTheStoredBits) {
  InferenceRun run;
  const auto weights = [&run](const char* config) {
    run.model = with(config);
    return serving_memory({}, run).weights() / 1e9;
  };
  EXPECT_NEAR(weights(""), 141.1, 0.2);
  EXPECT_NEAR(weights(kCases[2].config), 68.45 + 4.2, 0.2);
  EXPECT_NEAR(weights(kCases[5].config), 68.45 * 4.125 / 8 + 4.2, 0.2);
}

// QLoRA trains adapters beside a base that stays as it is stored.
TEST(Quantisation, AFrozenBaseKeepsItsStoredBits) {
  TrainingRun run;
  run.frozen = true;
  const auto weights = [&run](const char* config) {
    run.model = with(config);
    return training_memory(run, {}).weights / 1e9;
  };
  EXPECT_NEAR(weights("") / weights(kCases[7].config), 141.1 / (68.45 * 4.125 / 8 + 4.2), 0.02);
  run.frozen = false;
  EXPECT_DOUBLE_EQ(weights(""), weights(kCases[7].config));
}

TEST(Quantisation, ModelsByNameAreStoredAsTheirMakersReleaseThem) {
  EXPECT_EQ(known_model("deepseek-v3")->stored, "fp8");
  EXPECT_TRUE(known_model("deepseek-v3")->block_scales);
  EXPECT_EQ(known_model("kimi-k2.5")->stored, "int4");
  EXPECT_EQ(known_model("kimi-k2.5")->weight_bits, 0);
  EXPECT_EQ(known_model("gpt-oss-120b")->stored, "mxfp4");
  EXPECT_EQ(known_model("llama-3.1-8b")->stored, "");
  EXPECT_EQ(known_sizes("deepseek-v3")->weight_bits, 0);
}

}  // namespace
}  // namespace lento::predict
