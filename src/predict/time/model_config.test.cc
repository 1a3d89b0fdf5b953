// Published models, counted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/csv.h"
#include "base/file.h"
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

}  // namespace
}  // namespace lento::predict
