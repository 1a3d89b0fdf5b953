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

TEST(ModelConfig, ScalesOfBlocksAreRead) {
  const auto stored = [](const std::string& more) {
    return read(
        R"({"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8,
            "intermediate_size": 2048, "vocab_size": 1000,
            "quantization_config": {"quant_method": "fp8")" +
        more + "}}");
  };
  EXPECT_FALSE(stored("").block_scales);
  EXPECT_TRUE(stored(R"(, "weight_block_size": [128, 128])").block_scales);
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

// The configuration of Gemma 3 4B as Google publishes it leaves out what equals Gemma3TextConfig.
TEST(ModelConfig, SizesThatEqualThoseOfTheirClassMayBeLeftOut) {
  const Transformer m = read(
      R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "text_config": {
          "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
          "num_hidden_layers": 34, "sliding_window": 1024}, "vision_config": {"hidden_size": 1152}})");
  EXPECT_TRUE(m.class_defaults);
  EXPECT_NEAR(m.parameters() / 1e9, 3.88, 0.02);
  EXPECT_EQ(m.heads, 8);
  EXPECT_EQ(m.kv(), 4);
  EXPECT_EQ(m.window_layers, 29);
  try {
    read(R"({"model_type": "mistral3", "text_config": {"model_type": "mistral", "hidden_size": 512,
             "num_hidden_layers": 2, "num_attention_heads": 8, "intermediate_size": 1024}})");
    ADD_FAILURE() << "a model without a vocabulary";
  } catch (const base::Error& e) {
    EXPECT_NE(std::string(e.what()).find("'text_config.vocab_size'"), std::string::npos) << e.what();
  }
}

// Qwen: a layer has experts unless it is listed or its number is no multiple of the step.
TEST(ModelConfig, DenseLayersAreThoseOfTheListAndThoseBetweenTheSteps) {
  const auto dense = [](const std::string& more) {
    return read(
               R"({"model_type": "qwen3_moe", "hidden_size": 512, "num_hidden_layers": 8,
                   "num_attention_heads": 8, "intermediate_size": 1024, "moe_intermediate_size": 256,
                   "vocab_size": 1000, "num_experts": 8, "num_experts_per_tok": 2)" +
               more + "}")
        .dense_layers;
  };
  EXPECT_EQ(dense(""), 0);
  EXPECT_EQ(dense(R"(, "decoder_sparse_step": 2)"), 4);
  EXPECT_EQ(dense(R"(, "mlp_only_layers": [0, 1])"), 2);
  EXPECT_EQ(dense(R"(, "decoder_sparse_step": 2, "mlp_only_layers": [1])"), 5);
}

// Reads a count in billions as published, with half of its last digit.
std::pair<double, double> published(const std::string& text) {
  const size_t point = text.find('.');
  const double digit = point == std::string::npos ? 1 : std::pow(10, -double(text.size() - point - 1));
  return {std::stod(text), digit / 2};
}

// Returns how far a count of active parameters lies from the published one, in billions. Makers count with
// both embedding tables, without the one that is only looked up, or without both.
double active_error(const Transformer& m, double billions) {
  const double table = double(m.vocab) * double(m.hidden) / 1e9;
  double nearest = INFINITY;
  for (const double tables : {0, 1, 2})
    nearest = std::min(nearest, std::abs(m.active_parameters() / 1e9 - tables * table - billions));
  return nearest;
}

// share/lento/models.json holds sizes as the makers' configurations have them, and counts as their model
// cards publish them, in billions. `beside` are parameters outside the decoder (vision). ERNIE's 21 billion
// are 21.8 by its configuration.
TEST(ModelConfig, FamiliesOfTheLastTwoYearsAreCountedWithinHalfAPercent) {
  const base::Location where{"models.json"};
  const base::Json models = base::parse_json(base::read_file("share/lento/models.json"), "models.json");
  EXPECT_GE(models.items().size(), 50u);
  for (const base::Json& one : models.items()) {
    const std::string name = one.string_or("model", "", where);
    const Transformer m = transformer_from_config(one.at("config", where), name);
    if (one.at("total", where).is_null())
      continue;  // sizes of a table, whose count nobody publishes
    const auto [total, digit] = published(one.string_or("total", "", where));
    const double error = std::abs(m.parameters() / 1e9 + one.number_or("beside", 0, where) - total);
    EXPECT_EQ(error <= digit + 0.005 * total, name != "ERNIE-4.5-21B-A3B") << name << " " << m.parameters();
    const base::Json* active_text = one.find("active");
    if (!active_text || active_text->is_null())
      continue;
    const auto [active, half] = published(active_text->string(where));
    EXPECT_LE(active_error(m, active), half + 0.005 * active) << name << " " << m.active_parameters();
  }
}

TEST(ModelConfig, ExaoneIsCountedWithoutItsEmbeddings) {
  // EXAONE 4.0 is published without its embeddings: 30.95 billion.
  const Transformer exaone = read(
      R"({"model_type": "exaone4", "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 40,
          "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 27392, "vocab_size": 102400})");
  EXPECT_NEAR((exaone.parameters() - 2 * 102400.0 * 5120) / 1e9, 30.95, 0.005);
}

TEST(ModelConfig, WhatIsNotModelledIsRefusedByThatOneThing) {
  const std::pair<const char*, const char*> refused[] = {
      {"deepseek_v4", "hyper-connections"},
      {"gemma3n", "embeddings that each layer adds"},
      {"minimax_m3", "an index chooses"},
      {"step3", "two matrices"},
      {"step3p7", "gates of heads"},
      {"kimi_linear", "delta rule"},
      {"hunyuan_v1_moe", "differ by layer"}};
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
    const std::string& active = table.text(table.require("published_active_b"));
    if (!expect("counted_active", m.active_parameters(), 1, 1e-3) && !active.empty()) {
      EXPECT_LE(active_error(m, std::stod(active)), 0.5 + 0.03 * std::stod(active)) << name;
    }
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

// An index of GLM-5 or DeepSeek-V3.2 reads 128 bytes of every token, and attention 2,048 tokens at most.
TEST(ModelConfig, AnIndexIsCountedAndBoundsWhatAttentionReads) {
  const std::string latent =
      R"({"model_type": "deepseek_v32", "hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8,
          "vocab_size": 1000, "intermediate_size": 1024, "kv_lora_rank": 64, "q_lora_rank": 96, "qk_nope_head_dim": 32,
          "qk_rope_head_dim": 16, "v_head_dim": 32)";
  const Transformer plain = read(latent + "}");
  const Transformer sparse =
      read(latent + R"(, "index_n_heads": 4, "index_head_dim": 32, "index_topk": 256})");
  EXPECT_DOUBLE_EQ(sparse.parameters() - plain.parameters(), 2 * (96.0 * 4 * 32 + 512 * (32 + 4)));
  EXPECT_EQ(sparse.cache_values() - plain.cache_values(), 32);
  EXPECT_EQ(sparse.attended(100), 100);
  EXPECT_EQ(sparse.attended(100000), 256);
  EXPECT_EQ(plain.attended(100000), 100000);
  const Shard decode{1, 1, 100000};
  EXPECT_LT(layer_work(sparse, decode).attention_bytes, layer_work(plain, decode).attention_bytes);
  EXPECT_THROW(read(latent + R"(, "index_n_heads": 4})"), base::Error);
}

// Layers with a window and others are two kinds of attention, whose parameters and cache are averaged.
TEST(ModelConfig, LayersWithAWindowMayHaveHeadsOfTheirOwn) {
  const Transformer m = read(
      R"({"model_type": "gemma4_text", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
          "num_key_value_heads": 4, "num_global_key_value_heads": 1, "head_dim": 16, "global_head_dim": 32,
          "attention_k_eq_v": true, "intermediate_size": 128, "vocab_size": 100, "sliding_window": 8,
          "layer_types": ["sliding_attention", "sliding_attention", "full_attention"]})");
  const auto kinds = attention_kinds(m);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].model.head(), 32);
  EXPECT_EQ(kinds[1].model.head(), 16);
  EXPECT_NEAR(kinds[1].share, 2.0 / 3, 1e-12);
  const double near = 64.0 * (64 + 64 + 64) + 64 * 64;
  const double wide = 64.0 * (128 + 32) + 128 * 64;
  EXPECT_NEAR(m.attention_parameters() * 3, 2 * near + wide, 1e-6);
  EXPECT_NEAR(m.cache_values() * 3, 2 * 128 + 64, 1e-9);
  double shares = 0;
  for (const LayerKind& kind : layer_kinds(m))
    shares += kind.share;
  EXPECT_NEAR(shares, 2, 1e-12);  // one of attention and one of feeding forward
  EXPECT_THROW(
      read(
          R"({"model_type": "gemma4_text", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
              "vocab_size": 100, "hidden_size_per_layer_input": 256})"),
      base::Error);
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
