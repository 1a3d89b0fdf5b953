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
