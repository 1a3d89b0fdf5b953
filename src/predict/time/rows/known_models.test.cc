// Shapes of known models against the numbers of parameters that their makers publish.
#include "predict/time/rows/known_models.h"

#include <gtest/gtest.h>

#include <set>

namespace lento::predict {
namespace {

struct Published {
  const char* name;
  double parameters;  // billions
  double active;
  double tolerance;  // biases, positions and what else a shape leaves out
};

// From the makers' model cards and papers.
constexpr Published kPublished[] = {
    {"Llama-2-7B", 6.738, 6.738, 0.005},
    {"Llama-2-13B", 13.016, 13.016, 0.005},
    {"Llama-2-70B", 68.977, 68.977, 0.005},
    {"Llama-3-8B", 8.030, 8.030, 0.005},
    {"Llama-3.1-70B", 70.554, 70.554, 0.005},
    {"Llama-3.1-405B", 405.9, 405.9, 0.01},
    {"Mistral-7B", 7.242, 7.242, 0.005},
    {"Qwen3-8B", 8.19, 8.19, 0.01},
    {"BLOOM", 176.2, 176.2, 0.01},
    {"GPT-3 175B", 174.6, 174.6, 0.01},
    {"Nemotron-340B", 341, 341, 0.02},
    {"GPT2-Large", 0.774, 0.774, 0.02},
    {"GPT3-XL", 2.88, 2.88, 0.02},  // NeuSight's
    {"MPT-7B", 6.65, 6.65, 0.02},
    {"MPT-30B", 30.0, 30.0, 0.02},
    {"Llama-3.2-1B", 1.236, 1.236, 0.005},
    {"Llama-3.2-3B", 3.213, 3.213, 0.005},
    {"Mistral-Nemo-12B", 12.25, 12.25, 0.005},
    {"Mistral-Small-24B", 23.57, 23.57, 0.005},
    {"Mistral-Large-123B", 122.6, 122.6, 0.005},
    {"Qwen2.5-0.5B", 0.494, 0.494, 0.005},
    {"Qwen2.5-7B", 7.616, 7.616, 0.005},
    {"Qwen2.5-14B", 14.77, 14.77, 0.005},
    {"Qwen2.5-32B", 32.76, 32.76, 0.005},
    {"Qwen2.5-72B", 72.71, 72.71, 0.005},
    {"Qwen3-0.6B", 0.596, 0.596, 0.005},
    {"Qwen3-4B", 4.022, 4.022, 0.005},
    {"Qwen3-14B", 14.77, 14.77, 0.005},
    {"Qwen3-32B", 32.76, 32.76, 0.005},
    {"Gemma-2-9B", 9.24, 9.24, 0.005},
    {"Gemma-2-27B", 27.23, 27.23, 0.005},
    {"Gemma-3-27B", 27.01, 27.01, 0.005},
    {"Phi-4-14B", 14.66, 14.66, 0.005},
    {"Yi-34B", 34.39, 34.39, 0.005},
    {"OLMo-2-32B", 32.23, 32.23, 0.005},
    {"TinyLlama-1.1B", 1.100, 1.100, 0.005},
    {"GPT2-XL-1.5B", 1.558, 1.558, 0.005},
    {"GPT-NeoX-20B", 20.55, 20.55, 0.005},
    {"gpt-oss-20b", 20.9, 4.19, 0.03},  // the maker leaves the embedding out: 3.6
    {"gpt-oss-120b", 116.8, 5.71, 0.03},
    {"Mixtral-8x22B", 140.6, 39, 0.01},
    {"Qwen3-Coder-480B-A35B", 480, 35, 0.03},
    {"DBRX-132B", 132, 36, 0.02},
    {"Mixtral-8x7B", 46.7, 12.9, 0.01},
    {"Qwen3-30B-A3B", 30.5, 3.3, 0.03},
    {"Qwen3-235B-A22B", 235, 22, 0.03},
    {"DeepSeek-V3", 671, 37, 0.02},
    {"Llama-4-Scout", 109, 17, 0.03},
    {"Llama-4-Maverick", 400, 17, 0.03}};

TEST(KnownModels, CountsAgreeWithThePublishedOnes) {
  for (const Published& p : kPublished) {
    const auto model = known_model(p.name);
    ASSERT_TRUE(model.has_value()) << p.name;
    EXPECT_NEAR(model->parameters() / 1e9 / p.parameters, 1, p.tolerance) << p.name;
    EXPECT_NEAR(model->active_parameters() / 1e9 / p.active, 1, p.tolerance + 0.02) << p.name;
  }
}

// Names as people write them of what is served today.
TEST(KnownModels, FortyUsualNamesAreKnown) {
  for (const char* name :
       {"llama-3.1-8b",
        "llama-3.1-70b",
        "llama-3.1-405b",
        "llama-3.3-70b",
        "llama-3.2-1b",
        "llama-2-7b",
        "llama-4-scout",
        "llama-4-maverick",
        "qwen2.5-7b",
        "qwen2.5-72b",
        "qwen3-0.6b",
        "qwen3-8b",
        "qwen3-32b",
        "qwen3-30b-a3b",
        "qwen3-235b-a22b",
        "qwen3-coder-480b-a35b",
        "qwen3-next-80b-a3b",
        "qwen3.5-397b-a17b",
        "qwq-32b",
        "deepseek-v3",
        "deepseek-v3.1",
        "deepseek-v3.2",
        "deepseek-r1",
        "kimi-k2",
        "kimi-k2.5",
        "glm-4.5",
        "glm-4.5-air",
        "glm-5",
        "minimax-m2.5",
        "minimax-m1",
        "gpt-oss-20b",
        "gpt-oss-120b",
        "mixtral-8x7b",
        "mixtral-8x22b",
        "mistral-7b",
        "mistral-small-24b",
        "mistral-large-123b",
        "gemma-3-27b",
        "gemma-4-31b",
        "gemma-4-26b-a4b",
        "phi-4",
        "mimo-v2-flash",
        "longcat-flash",
        "nemotron-3-nano",
        "seed-oss-36b",
        "command-a",
        "smollm3-3b",
        "granite-4.0-h-small",
        "falcon-h1-34b",
        "olmo-2-32b"})
    EXPECT_TRUE(known_model(name).has_value()) << name;
  EXPECT_NE(known_model("deepseek-v3.2"), known_model("deepseek-v3"));  // sparse attention
}

TEST(KnownModels, EverySpellingIsTheSameModel) {
  const auto seventy = known_model("llama3 70b");
  ASSERT_TRUE(seventy.has_value());
  for (const char* name :
       {"Llama-3-70B",
        "LLAMA3_70B",
        "Llama-3.1-70B",
        "Llama-3.3-70B",
        "llama3.1_70b (FP8, tuned)",
        "Llama-3.1-70B-FP8"})
    EXPECT_EQ(known_model(name), seventy) << name;
  EXPECT_EQ(known_model("DeepSeek-R1-0528"), known_model("deepseek-v3"));
  EXPECT_NE(known_model("Llama-2-70B"), seventy);
}

TEST(KnownModels, OthersAreNotTakenForThem) {
  for (const char* name : {"", "llama", "Llama-3-7B", "Llama-3.2-70B", "mixtral", "gpt", "(llama38b)", "opt"})
    EXPECT_FALSE(known_model(name).has_value()) << name;
}

TEST(KnownModels, NamesThatAlmostFitLeadToTheUsualSpelling) {
  for (const auto& [given, meant] :
       {std::pair{"llama-3.1-70bb", "llama-3.1-70b"},
        {"qwen3-235b-a2b", "qwen3-235b-a22b"},
        {"mixtral-8x7", "mixtral-8x7b"}})
    EXPECT_EQ(base::suggestion(given, known_model_names()), std::string("did you mean '") + meant + "'?");
}

TEST(KnownModels, EveryListedNameIsKnownOnceAndHoldsTogether) {
  std::set<std::string> seen;
  for (const std::string& name : known_model_names()) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    const auto m = known_model(name);
    ASSERT_TRUE(m.has_value()) << name;
    EXPECT_EQ(m->heads % m->kv(), 0) << name;
    EXPECT_GT(m->head(), 0) << name;
    EXPECT_LE(m->active_experts, m->experts) << name;
    EXPECT_LE(m->dense_layers, m->layers) << name;
    EXPECT_LE(m->active_parameters(), m->parameters()) << name;
    check_transformer(*m, 1, 1, {});
  }
}

}  // namespace
}  // namespace lento::predict
