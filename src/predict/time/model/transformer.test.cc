// Work and sizes of transformers in closed form: products of a layer do two operations a parameter and token.
#include "predict/time/model/transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_error.h"
#include "predict/time/rows/known_models.h"

namespace lento::predict {
namespace {

using testing::HasSubstr;

double flops_of(const LayerWork& work) {
  double sum = 0;
  for (const Gemm& g : work.products)
    sum += 2.0 * double(g.batch) * double(g.m) * double(g.n) * double(g.k);
  return sum;
}

Transformer dense() {
  Transformer m;
  m.layers = 4;
  m.hidden = 1024;
  m.heads = 16;
  m.kv_heads = 4;
  m.ffn = 4096;
  m.vocab = 32000;
  m.gated = true;
  m.tied = false;
  return m;
}

Transformer mixture() {
  Transformer m = dense();
  m.experts = 8;
  m.active_experts = 2;
  m.ffn = 512;
  return m;
}

Shard shard(int64_t batch, int64_t tokens, int tensor = 1) {
  Shard s;
  s.batch = batch;
  s.tokens = tokens;
  s.context = tokens;
  s.tensor = tensor;
  return s;
}

TEST(LayerWork, ProductsDoTwoOperationsAParameterAndToken) {
  for (const char* name : {"llama-3-8b", "llama-2-13b", "gpt3-175b", "mistral-7b", "bloom"}) {
    const Transformer m = *known_model(name);
    const double parameters = m.attention_parameters() + m.expert_parameters();
    EXPECT_DOUBLE_EQ(flops_of(layer_work(m, shard(2, 512))), 2 * 1024 * parameters) << name;
  }
}

TEST(LayerWork, TensorWaysShareTheProductsEvenly) {
  const Transformer m = *known_model("llama-3-70b");
  const double whole = flops_of(layer_work(m, shard(1, 256)));
  for (const int tensor : {2, 4, 8}) {
    const LayerWork part = layer_work(m, shard(1, 256, tensor));
    EXPECT_DOUBLE_EQ(flops_of(part) * tensor, whole) << tensor;
    EXPECT_DOUBLE_EQ(part.attention_flops * tensor, layer_work(m, shard(1, 256)).attention_flops);
    EXPECT_DOUBLE_EQ(part.exchange_bytes, 2.0 * 256 * 8192);
  }
  EXPECT_EQ(layer_work(m, shard(1, 256)).exchange_bytes, 0);
}

TEST(LayerWork, LatentAttentionHasTheProductsOfItsParameters) {
  Transformer m = *known_model("deepseek-v3");
  m.experts = 1;
  m.ffn = 1024;
  m.shared_ffn = 0;
  const double parameters = m.attention_parameters() + m.expert_parameters();
  EXPECT_DOUBLE_EQ(flops_of(layer_work(m, shard(1, 64))), 2 * 64 * parameters);
}

TEST(LayerWork, CausalAttentionIsHalfOfAllPairsAndDecodingSeesAll) {
  const Transformer m = dense();
  Shard s = shard(2, 512);
  const double pairs =
      2.0 * 16 * 512 * 512 * 2 * 64 * 2;  // batch, heads, pairs, both products of a head of 64
  EXPECT_DOUBLE_EQ(layer_work(m, s).attention_flops, pairs / 2);
  s.causal = false;
  EXPECT_DOUBLE_EQ(layer_work(m, s).attention_flops, pairs);
  Shard decode = shard(2, 1);
  decode.context = 512;
  EXPECT_DOUBLE_EQ(layer_work(m, decode).attention_flops, pairs / 512);
}

TEST(LayerWork, UnfusedAttentionIsTwoProductsMore) {
  Transformer m = dense();
  const LayerWork fused = layer_work(m, shard(1, 256));
  m.flash = false;
  const LayerWork apart = layer_work(m, shard(1, 256));
  EXPECT_EQ(apart.products.size(), fused.products.size() + 2);
  EXPECT_EQ(apart.attention_flops, 0);
  EXPECT_DOUBLE_EQ(flops_of(apart) - flops_of(fused), 2 * fused.attention_flops);
  EXPECT_GT(apart.stream_bytes, fused.stream_bytes);
}

TEST(LayerWork, AWindowBoundsWhatItsLayersSee) {
  Transformer m = dense();
  const double all = layer_work(m, shard(1, 4096)).attention_flops;
  m.window = 512;
  m.window_layers = 2;  // of four
  Shard decode = shard(1, 1);
  decode.context = 4096;
  m.window_layers = 4;
  EXPECT_DOUBLE_EQ(layer_work(m, decode).attention_flops, 2.0 * 16 * 512 * 128);
  m.window_layers = 2;
  EXPECT_DOUBLE_EQ(layer_work(m, decode).attention_flops, 2.0 * 16 * (512 + 4096) / 2 * 128);
  EXPECT_DOUBLE_EQ(layer_work(m, shard(1, 4096)).attention_flops, all * (1 + 2.0 * 512 / 4096) / 2);
  m.window = 1 << 20;
  EXPECT_DOUBLE_EQ(layer_work(m, shard(1, 4096)).attention_flops, all);
}

TEST(LayerWork, EachTokenMeetsItsExpertsAndTheRouter) {
  const Transformer m = mixture();
  const double expected = 2.0 * 512 * (m.attention_parameters() + 2 * m.expert_parameters() + 8.0 * 1024);
  EXPECT_DOUBLE_EQ(flops_of(layer_work(m, shard(1, 512))), expected);
  // One token wakes two experts of eight, and no more rows than there are.
  const LayerWork one = layer_work(m, shard(1, 1));
  EXPECT_EQ(one.products[3].batch, 2);
  EXPECT_EQ(one.products[3].m, 1);
}

TEST(LayerWork, SharedExpertsAreDenseProductsBeside) {
  Transformer m = mixture();
  const double before = flops_of(layer_work(m, shard(1, 512)));
  m.shared_ffn = 2048;
  EXPECT_DOUBLE_EQ(flops_of(layer_work(m, shard(1, 512))) - before, 2.0 * 512 * 3 * 1024 * 2048);
}

TEST(LayerWork, OperandsOfNarrowerProductsAreCast) {
  const Transformer m = dense();
  Shard s = shard(1, 128);
  EXPECT_EQ(layer_work(m, s).cast_bytes, 0);
  s.products = Precision::Fp8;
  const LayerWork work = layer_work(m, s);
  // Six bytes an element of each product's left side.
  EXPECT_DOUBLE_EQ(work.cast_bytes, 6.0 * 128 * (1024 + 1024 + 1024 + 4096));
  EXPECT_DOUBLE_EQ(work.cast_backward_bytes, 6.0 * 128 * (1536 + 1024 + 8192 + 1024));
}

TEST(TimeLayer, PartsAddUpAndAMixtureWithDenseLayersIsTheirMean) {
  const System h100 = read_system("h100");
  const LayerTime3 t = time_layer(h100, dense(), shard(1, 2048));
  EXPECT_NEAR(t.forward_s, t.product_s + t.attention_s + t.stream_s, 1e-15);
  EXPECT_GT(t.backward_s, t.forward_s);
  EXPECT_LT(t.weight_gradient_s, t.backward_s);
  Transformer m = mixture();
  m.dense_ffn = 4096;
  const LayerTime3 routed = time_layer(h100, m, shard(1, 2048));
  const LayerTime3 plain = time_layer(h100, dense_part(m), shard(1, 2048));
  m.dense_layers = 1;
  EXPECT_NEAR(
      time_layer(h100, m, shard(1, 2048)).forward_s,
      0.75 * routed.forward_s + 0.25 * plain.forward_s,
      1e-12);
}

TEST(TimeLayer, GradientsOfASquareProductTakeAsLongAsTheProduct) {
  const System h100 = read_system("h100");
  const Gemm square{1, 4096, 4096, 4096, Precision::Bf16};
  const double forward = predict_gemm(h100, square).seconds;
  EXPECT_DOUBLE_EQ(operand_gradient(h100, square), forward);
  EXPECT_DOUBLE_EQ(weight_gradient(h100, square), forward);
  const Gemm g{1, 512, 2048, 8192, Precision::Bf16};
  EXPECT_DOUBLE_EQ(
      operand_gradient(h100, g),
      predict_gemm(h100, {1, 512, 8192, 2048, Precision::Bf16}).seconds);
  EXPECT_DOUBLE_EQ(
      weight_gradient(h100, g),
      predict_gemm(h100, {1, 8192, 2048, 512, Precision::Bf16}).seconds);
}

TEST(Parameters, AMixtureIsItsExpertsAndTheRest) {
  const Transformer m = mixture();
  EXPECT_DOUBLE_EQ(m.parameters() - m.parameters_without_experts(), 4 * 8 * m.expert_parameters());
  EXPECT_DOUBLE_EQ(m.active_parameters() - m.parameters_without_experts(), 4 * 2 * m.expert_parameters());
  EXPECT_DOUBLE_EQ(dense().active_parameters(), dense().parameters());
}

TEST(TimeLayer, AHybridTakesTheMeanOfItsParts) {
  const System h100 = read_system("h100");
  Transformer m = dense();
  m.attention_layers = 1;
  m.feed_layers = 3;
  const double both = time_layer(h100, m, shard(1, 2048)).forward_s;
  m.attention_layers = m.layers;
  m.feed_layers = 0;
  const double attention = time_layer(h100, m, shard(1, 2048)).forward_s;
  m.attention_layers = 0;
  m.feed_layers = m.layers;
  const double feed = time_layer(h100, m, shard(1, 2048)).forward_s;
  EXPECT_NEAR(both, 0.25 * attention + 0.75 * feed, 1e-12);
  // Both in every layer: what a usual layer takes, but for one start of a kernel of streams.
  EXPECT_NEAR(attention + feed, time_layer(h100, dense(), shard(1, 2048)).forward_s, 1e-5);
}

TEST(TimeLayer, AStateIsReadOncePerTokenInDecodingOnly) {
  const System h100 = read_system("h100");
  Transformer m = dense();
  m.attention_layers = m.feed_layers = 0;
  m.state_layers = m.layers;
  m.state_columns = 4096;
  m.state_width = 2048;
  m.state_values = int64_t{1} << 20;
  const LayerParts state{false, true, false};
  const double prompt = layer_work(m, shard(1, 2048), state).attention_bytes;
  const double token = layer_work(m, shard(1, 1), state).attention_bytes;
  EXPECT_GT(token, 8.0 * double(m.state_values));
  EXPECT_LT(prompt, 2048 * token / 10);
  EXPECT_GT(
      time_layer(h100, m, shard(256, 1)).attention_s,
      256 * 8.0 * double(m.state_values) / h100.chip.memory_Bps);
}

TEST(Parameters, LayersAndEndsAreTheWhole) {
  Transformer m = dense();
  const double ends = 2.0 * 32000 * 1024;
  EXPECT_DOUBLE_EQ(m.parameters(), 4 * m.layer_parameters() + ends);
  m.tied = true;
  EXPECT_DOUBLE_EQ(m.parameters(), 4 * m.layer_parameters() + ends / 2);
  // An expert group of four holds a quarter of the experts.
  const Transformer x = mixture();
  EXPECT_DOUBLE_EQ(x.layer_parameters(1) - x.layer_parameters(4), 0.75 * 8 * x.expert_parameters());
}

TEST(Parameters, TheCacheHoldsKeysAndValuesOfItsHeads) {
  Transformer m = dense();
  EXPECT_DOUBLE_EQ(m.cache_values(), 4.0 * 2 * 64);
  m.attention_layers = 1;  // of four
  EXPECT_DOUBLE_EQ(m.cache_values(), 2.0 * 64);
  m.attention_layers = -1;
  m.kv_rank = 512;
  m.rotary_size = 64;
  EXPECT_DOUBLE_EQ(m.cache_values(), 576);
}

TEST(CheckTransformer, AllThatIsImpossibleIsToldAtOnce) {
  Transformer m = dense();
  m.active_experts = 2;
  const std::string said = base::test::error_of([&] {
    check_transformer(m, 3, 5, {"run.yaml"});
  });
  EXPECT_THAT(said, HasSubstr("16 heads do not divide into 3"));
  EXPECT_THAT(said, HasSubstr("4096 does not divide into 3"));
  EXPECT_THAT(said, HasSubstr("the nearest that divides: 2 or 4"));
  EXPECT_THAT(said, HasSubstr("4 layers cannot fill 5"));
  EXPECT_THAT(said, HasSubstr("more active experts than experts"));
  EXPECT_THAT(said, HasSubstr("run.yaml"));
  check_transformer(dense(), 4, 4, {});
}

TEST(CheckTransformer, ExpertWaysDivideExpertsAndDevices) {
  const auto error = [](const Transformer& m, int expert, int devices) {
    return base::test::error_of([&] {
      check_experts(m, expert, devices, {});
    });
  };
  EXPECT_EQ(error(mixture(), 1, 7), "no error");
  EXPECT_EQ(error(mixture(), 4, 8), "no error");
  EXPECT_THAT(error(mixture(), 3, 6), HasSubstr("8 experts do not divide into 3"));
  EXPECT_THAT(error(mixture(), 3, 8), HasSubstr("the nearest that divides: 2 or 4"));
  EXPECT_THAT(error(mixture(), 4, 6), HasSubstr("do not divide the 6 devices"));
  EXPECT_THAT(error(mixture(), 4, 6), HasSubstr("the nearest that divides: 2"));
  EXPECT_THAT(error(dense(), 2, 4), HasSubstr("the model has no experts"));
}

}  // namespace
}  // namespace lento::predict
