// Published models, counted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/scan/csv.h"
#include "predict/time/workload.h"

namespace lento::predict {
namespace {

Transformer read(const std::string& text) {
  return transformer_from_config(base::parse_json(text, "c"), "c");
}

TEST(ModelConfig, UnknownArchitecturesAreRefusedByName) {
  for (const char* type : {"mamba2", "bert", "t5"}) {
    const std::string text = R"({"model_type": ")" + std::string(type) +
                             R"(", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
                                 "vocab_size": 1000})";
    try {
      read(text);
      ADD_FAILURE() << type;
    } catch (const base::Error& e) {
      EXPECT_NE(std::string(e.what()).find(type), std::string::npos);
    }
  }
}

TEST(ModelConfig, WhatContradictsItselfIsRefused) {
  const auto model = [](const std::string& width_and_experts) {
    return R"({"model_type": "mixtral", "num_hidden_layers": 2, "num_attention_heads": 8, "intermediate_size": 128,
               "num_key_value_heads": 4, "vocab_size": 100, "num_local_experts": 4, )" +
           width_and_experts + "}";
  };
  EXPECT_EQ(read(model(R"("hidden_size": 96, "num_experts_per_tok": 4)")).active_experts, 4);
  EXPECT_THROW(read(model(R"("hidden_size": 96, "num_experts_per_tok": 5)")), base::Error);
  EXPECT_EQ(read(model(R"("hidden_size": 100, "head_dim": 12)")).head_size, 12);
  EXPECT_THROW(read(model(R"("hidden_size": 100)")), base::Error);
}

// Sizes as the makers' configurations have them, counts as they publish them: total and active, in
// billions, each to the digits given (0: not published).
struct Published {
  const char* name;
  const char* config;
  double total;
  double active;
  double within;  // half of the last digit
};

std::string mixed_layers(int mamba, int attention) {
  std::string out = "[";
  for (int i = 0; i < mamba + attention; ++i)
    out += std::string(i > 0 ? "," : "") + (i < mamba ? "\"mamba\"" : "\"attention\"");
  return out + "]";
}

TEST(ModelConfig, FamiliesOfTheLastTwoYearsAreCounted) {
  const std::string granite =
      R"({"model_type": "granitemoehybrid", "num_hidden_layers": 40, "vocab_size": 100352, "mamba_d_head": 64,
          "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4, "tie_word_embeddings": true, "layer_types": )" +
      mixed_layers(36, 4) + ", ";
  const std::string tiny =
      granite + R"("hidden_size": 1536, "num_attention_heads": 12, "num_key_value_heads": 4,
      "num_local_experts": 64, "num_experts_per_tok": 6, "intermediate_size": 512,
      "shared_intermediate_size": 1024, "mamba_n_heads": 48})";
  const std::string small =
      granite + R"("hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
      "num_local_experts": 72, "num_experts_per_tok": 10, "intermediate_size": 768,
      "shared_intermediate_size": 1536, "mamba_n_heads": 128})";
  const Published models[] = {
      {"Granite 4.0 H Tiny", tiny.c_str(), 7, 1, 0.5},
      {"Granite 4.0 H Small", small.c_str(), 32, 9, 0.5},
      {"Ling-Coder-lite",
       R"({"model_type": "bailing_moe", "hidden_size": 2048, "num_hidden_layers": 28, "num_attention_heads": 16,
           "num_key_value_heads": 4, "intermediate_size": 5632, "moe_intermediate_size": 1408, "num_experts": 64,
           "num_shared_experts": 2, "num_experts_per_tok": 6, "vocab_size": 126464})",
       16.8,
       2.75,
       0.05},
      {"dots.llm1",
       R"({"model_type": "dots1", "hidden_size": 4096, "num_hidden_layers": 62, "num_attention_heads": 32,
           "num_key_value_heads": 32, "head_dim": 128, "intermediate_size": 10944, "moe_intermediate_size": 1408,
           "n_routed_experts": 128, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
           "topk_method": "noaux_tc", "vocab_size": 152064})",
       142,
       14,
       1},
      {"Kimi K2.5",
       R"({"model_type": "kimi_k25", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 64,
           "num_key_value_heads": 64, "intermediate_size": 18432, "vocab_size": 163840, "n_routed_experts": 384,
           "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
           "first_k_dense_replace": 1, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
           "qk_rope_head_dim": 64, "v_head_dim": 128})",
       1026,
       32.5,
       1},
      {"GLM-4.7-Flash",
       R"({"model_type": "glm4_moe_lite", "hidden_size": 2048, "num_hidden_layers": 47, "num_attention_heads": 20,
           "num_key_value_heads": 20, "intermediate_size": 10240, "vocab_size": 154880, "n_routed_experts": 64,
           "n_shared_experts": 1, "num_experts_per_tok": 4, "moe_intermediate_size": 1536,
           "first_k_dense_replace": 1, "kv_lora_rank": 512, "q_lora_rank": 768, "qk_nope_head_dim": 192,
           "qk_rope_head_dim": 64, "v_head_dim": 256})",
       30,
       3,
       1},
      {"Apertus 8B",
       R"({"model_type": "apertus", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
           "num_key_value_heads": 8, "intermediate_size": 21504, "vocab_size": 131072})",
       8,
       0,
       0.5}};
  for (const Published& p : models) {
    const Transformer m = read(p.config);
    EXPECT_NEAR(m.parameters() / 1e9, p.total, p.within) << p.name;
    if (p.active > 0) {
      EXPECT_NEAR(m.active_parameters() / 1e9, p.active, p.within) << p.name;
    }
  }
  // EXAONE 4.0 is published without its embeddings: 30.95 billion.
  const Transformer exaone = read(
      R"({"model_type": "exaone4", "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 40,
          "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 27392, "vocab_size": 102400})");
  EXPECT_NEAR((exaone.parameters() - 2 * 102400.0 * 5120) / 1e9, 30.95, 0.005);
}

TEST(ModelConfig, WhatIsNotModelledIsRefusedByThatOneThing) {
  const std::pair<const char*, const char*> refused[] = {
      {"deepseek_v4", "hyper-connections"},
      {"gemma4", "another width"},
      {"mimo_v2_flash", "window"},
      {"minimax_m1", "lightning attention"},
      {"kimi_linear", "delta rule"},
      {"longcat_flash", "compute nothing"}};
  for (const auto& [type, what] : refused) {
    try {
      read(
          R"({"model_type": ")" + std::string(type) +
          R"(", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100})");
      ADD_FAILURE() << type;
    } catch (const base::Error& e) {
      EXPECT_NE(std::string(e.what()).find(type), std::string::npos);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("which is not modelled"), std::string::npos) << e.what();
    }
  }
}

// Every public configuration with a count of its own.
TEST(ModelConfig, CountsAgreeWithThePublishedOnes) {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/data/predict/";
  if (!std::filesystem::exists(folder + "model_params.csv"))
    GTEST_SKIP() << "no published counts";
  base::ReadReport report;
  base::CsvReader table(folder + "model_params.csv", report);
  while (table.next()) {
    const std::string name = table.text(table.require("model"));
    const Question q = read_workload(folder + table.text(table.require("config")), {});
    const Transformer& m = std::get<InferenceRun>(q.what).model;
    const auto expect = [&](const char* column, double ours, double unit, double within) {
      const std::string& text = table.text(table.require(column));
      if (!text.empty()) {
        EXPECT_NEAR(ours / (std::stod(text) * unit), 1, within) << name << " " << column;
      }
      return !text.empty();
    };
    if (!expect("counted_total", m.parameters(), 1, 1e-3))
      expect("published_total_b", m.parameters(), 1e9, 0.03);
    // MiniMax publishes 10 billion active without saying whether both embeddings (1.2 billion) are in.
    if (!expect("counted_active", m.active_parameters(), 1, 1e-3))
      expect("published_active_b", m.active_parameters(), 1e9, name.starts_with("minimax") ? 0.11 : 0.03);
  }
}

// Latent attention keeps 512 + 64 values a token and layer, where 128 heads would keep 128 * (192 + 128).
TEST(ModelConfig, LatentAttentionHasASmallCache) {
  const Transformer m = read(
      R"({"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
          "num_key_value_heads": 128, "vocab_size": 129280, "intermediate_size": 18432, "kv_lora_rank": 512,
          "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
          "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
          "first_k_dense_replace": 3})");
  EXPECT_EQ(m.cache_values(), 576);
  EXPECT_EQ(m.head(), 192);
  EXPECT_NEAR(m.parameters(), 671.03e9, 0.01e9);
  EXPECT_NEAR(m.active_parameters(), 37.55e9, 0.01e9);
}

// NVIDIA-Nemotron-3-Nano-30B-A3B: 31.6 billion parameters as published, of 23 Mamba-2 layers, 23 of experts
// and six that attend.
const char* const kNano = R"({"model_type": "nemotron_h", "hidden_size": 2688, "num_hidden_layers": 52,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "vocab_size": 131072,
    "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 1856,
    "moe_intermediate_size": 1856, "moe_shared_expert_intermediate_size": 3712, "n_routed_experts": 128,
    "n_shared_experts": 1, "num_experts_per_tok": 6, "mamba_num_heads": 64, "mamba_head_dim": 64, "n_groups": 8,
    "ssm_state_size": 128, "conv_kernel": 4, "tie_word_embeddings": false})";

TEST(ModelConfig, AHybridsLayersAreWhatItsPatternSays) {
  const Transformer m = read(kNano);
  EXPECT_EQ(m.state_layers, 23);
  EXPECT_EQ(m.expert_layers(), 23);
  EXPECT_EQ(m.attending(), 6);
  EXPECT_EQ(m.dense_feeds(), 0);
  EXPECT_NEAR(m.parameters(), 31.58e9, 0.01e9);
  EXPECT_NEAR(m.active_parameters(), 3.58e9, 0.01e9);
  EXPECT_DOUBLE_EQ(m.cache_values(), 2.0 * 2 * 128 * 6 / 52);
  EXPECT_DOUBLE_EQ(m.exchanges(), 1);
}

TEST(ModelConfig, LayersMayBeNamedAndExpertsWorkInANarrowerSpace) {
  const Transformer m = read(
      R"({"model_type": "nemotron_h", "hidden_size": 1024, "vocab_size": 1000, "num_attention_heads": 8,
          "layers_block_type": ["mamba", "moe", "attention", "mlp"], "intermediate_size": 512,
          "moe_intermediate_size": 256, "moe_latent_size": 128, "n_routed_experts": 4, "num_experts_per_tok": 2,
          "mamba_num_heads": 4, "mamba_head_dim": 64, "n_groups": 1, "ssm_state_size": 16})");
  EXPECT_EQ(m.layers, 4);
  EXPECT_DOUBLE_EQ(m.expert_parameters(), 2.0 * 128 * 256);
  EXPECT_DOUBLE_EQ(m.parameters() - m.active_parameters(), 2 * m.expert_parameters());
  EXPECT_EQ(m.state_columns, 2 * 256 + 2 * 16 + 4);
}

TEST(ModelConfig, PatternsThatSayNoLayersAreErrors) {
  for (const auto& [from, to] :
       {std::pair{"MEMEM*", "MEM*"},
        {"MEMEM*", "MEMEX*"},
        {"\"n_routed_experts\": 128,", ""},
        {"\"ssm_state_size\": 128", "\"ssm_state_size\": 8000000"}}) {
    std::string text = kNano;
    text.replace(text.find(from), std::string_view(from).size(), to);
    EXPECT_THROW(read(text), base::Error) << to;
  }
}

// Qwen3.5-35B-A3B: three of four layers by the gated delta rule, queries twice as wide for their gate.
TEST(ModelConfig, LinearAttentionIsCounted) {
  const Transformer m = read(
      R"({"text_config": {"model_type": "qwen3_5_moe_text", "hidden_size": 2048, "num_hidden_layers": 40,
          "full_attention_interval": 4, "head_dim": 256, "num_attention_heads": 16, "num_key_value_heads": 2,
          "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
          "linear_num_value_heads": 32, "linear_value_head_dim": 128, "moe_intermediate_size": 512,
          "num_experts": 256, "num_experts_per_tok": 8, "shared_expert_intermediate_size": 512,
          "vocab_size": 248320}, "tie_word_embeddings": false})");
  EXPECT_EQ(m.state_layers, 30);
  EXPECT_NEAR(m.parameters(), 34.66e9, 0.01e9);
  EXPECT_NEAR(m.active_parameters(), 3.45e9, 0.01e9);
}

TEST(ModelConfig, BlocksSayWhichLayersAttendAndHowWideTheyAre) {
  const Transformer m = read(
      R"({"model_type": "nemotron-nas", "hidden_size": 768, "num_hidden_layers": 3, "num_attention_heads": 8,
          "vocab_size": 1000, "block_configs": [
            {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 1.0}},
            {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 3.0}},
            {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": null, "no_op": true}}]})");
  EXPECT_EQ(m.attending(), 1);
  EXPECT_EQ(m.dense_feeds(), 2);
  EXPECT_EQ(m.kv(), 2);
  EXPECT_EQ(m.inner(), (512 + 1536) / 2);
}

}  // namespace
}  // namespace lento::predict
