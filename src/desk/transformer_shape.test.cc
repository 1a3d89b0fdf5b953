// The shapes that configurations of transformers give, and the ones that are refused.
#include "desk/transformer_shape.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/test_error.h"

namespace lento::desk {
namespace {

std::string config(const std::string& body) {
  const std::string file = testing::TempDir() + "/config.json";
  base::write_file(file, body);
  return file;
}

TEST(TransformerShape, DecoderShapeIsThatOfItsConfig) {
  const spec::TransformerShape m = read_transformer_shape(config(
      R"({"model_type": "mixtral", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 8,
          "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 100, "num_local_experts": 4,
          "num_experts_per_tok": 2})"));
  EXPECT_EQ(m.name, "mixtral");
  EXPECT_EQ(m.layers, 3);
  EXPECT_EQ(m.kv_heads, 2);
  EXPECT_EQ(m.head_size, 8);
  EXPECT_EQ(m.ffn, 96);
  EXPECT_TRUE(m.gated);
  EXPECT_EQ(m.experts, 4);
  EXPECT_EQ(m.active_experts, 2);
  EXPECT_EQ(m.dense_layers, 0);
}

TEST(TransformerShape, ImagesHavePatches) {
  const spec::TransformerShape m = read_transformer_shape(config(
      R"({"model_type": "vit", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 128, "image_size": 32, "patch_size": 8})"));
  EXPECT_EQ(m.patch, 8);
  EXPECT_EQ(m.channels, 3);
  EXPECT_EQ(m.vocab, 0);
}

TEST(TransformerShape, WhatIsNotMappedIsRefused) {
  const std::string latent = config(
      R"({"model_type": "deepseek_v2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 128, "vocab_size": 100, "kv_lora_rank": 16, "qk_rope_head_dim": 8,
          "qk_nope_head_dim": 8, "v_head_dim": 16})");
  EXPECT_THROW(read_transformer_shape(latent), base::Error);
  EXPECT_THROW(read_transformer_shape(config(R"({"model_type": "vit", "hidden_size": 64})")), base::Error);
  EXPECT_THROW(
      read_transformer_shape(config(
          R"({"model_type": "vit", "hidden_size": 65, "num_hidden_layers": 2, "num_attention_heads": 4,
              "intermediate_size": 128, "image_size": 32, "patch_size": 8})")),
      base::Error);
}

}  // namespace
}  // namespace lento::desk
