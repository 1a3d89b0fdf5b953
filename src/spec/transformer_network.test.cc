// Transformers as operators: weights, caches and tokens counted against closed forms.
#include "spec/transformer_network.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"

namespace lento::spec {
namespace {

TransformerShape llama() {
  TransformerShape m;
  m.name = "llama";
  m.layers = 3;
  m.hidden = 64;
  m.heads = 8;
  m.kv_heads = 2;
  m.head_size = 8;
  m.ffn = 160;
  m.gated = true;
  m.vocab = 500;
  return m;
}

int64_t product_weights(const Network& net) {
  int64_t out = 0;
  for (const Operation& op : net.operations)
    if (op.type == "MatMul" && net.tensors[size_t(op.inputs[1])].constant)
      out += element_count(net.tensors[size_t(op.inputs[1])].shape);
  return out;
}

// Shapes of what operations with this ending of the name make.
std::vector<Shape> made(const Network& net, const std::string& ending) {
  std::vector<Shape> out;
  for (const Operation& op : net.operations)
    if (op.name.ends_with(ending))
      out.push_back(net.tensors[size_t(op.outputs[0])].shape);
  return out;
}

TEST(TransformerNetwork, PrefillHoldsEveryWeightOnce) {
  TransformerRun run;
  run.tokens = 10;
  const Network net = transformer_network(llama(), run, "config.json");
  const int64_t layer = 64 * 64 + 2 * 64 * 16 + 64 * 64 + 3 * 64 * 160;
  EXPECT_EQ(product_weights(net), 3 * layer + 64 * 500);
  EXPECT_EQ(made(net, "scores"), std::vector<Shape>(3, Shape({1, 2, 40, 10})));
  EXPECT_EQ(net.tensors[size_t(net.outputs[0])].shape, Shape({1, 1, 500}));  // of the last token
}

TEST(TransformerNetwork, EveryShapeFollowsFromItsInputs) {
  TransformerRun run;
  run.tokens = 6;
  run.steps = 2;
  const Network net = transformer_network(llama(), run, "config.json");
  for (const Operation& op : net.operations) {
    const Shape& out = net.tensors[size_t(op.outputs[0])].shape;
    const Shape& in = net.tensors[size_t(op.inputs[0])].shape;
    if (op.type == "Reshape" || op.type == "Transpose") {
      EXPECT_EQ(element_count(in), element_count(out)) << op.name;
    }
    if (op.type == "MatMul") {
      const Shape& other = net.tensors[size_t(op.inputs[1])].shape;
      EXPECT_EQ(in.back(), other[other.size() - 2]) << op.name;
      EXPECT_EQ(out.back(), other.back()) << op.name;
    }
  }
}

TEST(TransformerNetwork, DecodedTokensReadACacheThatGrows) {
  TransformerRun run;
  run.tokens = 0;
  run.context = 100;
  run.steps = 3;
  run.layers = 1;
  const Network net = transformer_network(llama(), run, "config.json");
  EXPECT_EQ(made(net, "scores"), (std::vector<Shape>{{1, 2, 4, 101}, {1, 2, 4, 102}, {1, 2, 4, 103}}));
  EXPECT_EQ(net.inputs.size(), 5U);  // three tokens, keys and values once
  EXPECT_EQ(net.outputs.size(), 3U);
}

TEST(TransformerNetwork, ExpertsDivideTheTokensOfEachChoice) {
  TransformerShape m = llama();
  m.layers = 1;
  m.experts = 8;
  m.active_experts = 2;
  TransformerRun run;
  run.tokens = 20;
  run.expert_skew = 1;
  const Network net = transformer_network(m, run, "config.json");
  const std::vector<Shape> downs = made(net, ".down");
  EXPECT_EQ(downs.size(), 8U);
  int64_t tokens = 0;
  for (const Shape& s : downs)
    tokens += s[1];
  EXPECT_EQ(tokens, 2 * 20);
}

TEST(TransformerNetwork, ImagesAreRowsOfPatchesAndOneMore) {
  TransformerShape m = llama();
  m.kv_heads = 8;
  m.vocab = 0;
  m.image = 224;
  m.patch = 16;
  TransformerRun run;
  run.tokens = 0;
  const Network net = transformer_network(m, run, "config.json");
  EXPECT_EQ(made(net, "scores").front(), Shape({1, 8, 197, 197}));
}

TEST(ExpertTokens, SumIsKeptAndSkewIsZipf) {
  EXPECT_EQ(expert_tokens(64, 4, 0), (std::vector<int64_t>{16, 16, 16, 16}));
  EXPECT_EQ(expert_tokens(110, 4, 1), (std::vector<int64_t>{53, 26, 18, 13}));  // 1, 1/2, 1/3, 1/4
  for (const int64_t tokens : {1, 7, 1000}) {
    const std::vector<int64_t> all = expert_tokens(tokens, 16, 1.5);
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), int64_t{0}), tokens);
  }
}

TEST(TransformerNetwork, ContradictionsAreRefused) {
  TransformerShape m = llama();
  m.kv_heads = 3;
  EXPECT_THROW(transformer_network(m, {}, "config.json"), base::Error);
  TransformerRun nothing;
  nothing.tokens = 0;
  EXPECT_THROW(transformer_network(llama(), nothing, "config.json"), base::Error);
}

}  // namespace
}  // namespace lento::spec
