// Energies from operations and bytes, and what the time depends on.
#include "predict/time/energy.h"

#include <gtest/gtest.h>

#include "predict/time/sensitivity.h"

namespace lento::predict {
namespace {

System with_energies() {
  System s = read_system("a100");
  s.chip.flop_energy_j.fill(0);
  s.chip.flop_energy_j[size_t(Precision::Bf16)] = 1e-13;  // too little to throttle
  s.chip.byte_energy_j = 30e-12;
  s.chip.cache_byte_energy_j = 2e-12;
  s.chip.operand_energy_j = 1e-13;
  s.network.byte_energy_j = 100e-12;
  return s;
}

TEST(Energy, AProductPaysForItsOperationsAndBytes) {
  const System s = with_energies();
  const Question q{Gemm{1, 4096, 4096, 4096, Precision::Bf16}, "", ""};
  const KernelTime t = predict_gemm(s, std::get<Gemm>(q.what));
  const Energy e = energy_breakdown(s, work_of(s, q), t.seconds).value();
  EXPECT_DOUBLE_EQ(e.arithmetic, 1e-13 * 2 * 4096.0 * 4096 * 4096);
  EXPECT_DOUBLE_EQ(e.memory, 30e-12 * t.memory_bytes);
  EXPECT_DOUBLE_EQ(e.cache, 2e-12 * t.cache_bytes);
  EXPECT_GT(t.cache_bytes, t.memory_bytes);
  EXPECT_DOUBLE_EQ(e.idle, s.chip.idle_share * s.chip.power_w * t.seconds);
  EXPECT_EQ(e.links, 0);
}

TEST(Energy, ASheetWithoutEnergiesHasNoBreakdown) {
  const System a100 = read_system("a100");
  EXPECT_FALSE(energy_breakdown(a100, work_of(a100, {Gemm{1, 64, 64, 64}, "", ""}), 1).has_value());
}

TrainingRun run_of(int tensor, int data) {
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = 2048;
  run.model.heads = 16;
  run.global_batch = 16;
  run.tensor = tensor;
  run.data = data;
  return run;
}

// The devices' operations together are those of the model, however it is cut: three passes of two operations
// a weight and token, attention beside.
TEST(Energy, TrainingDoesTheModelsOperationsHoweverItIsCut) {
  const System s = with_energies();
  const Work one = work_of(s, {run_of(1, 1), "", ""});
  for (const auto& [tensor, data] : {std::pair{8, 1}, {1, 8}, {4, 4}}) {
    const Work cut = work_of(s, {run_of(tensor, data), "", ""});
    EXPECT_EQ(cut.devices, tensor * data);
    EXPECT_NEAR(cut.flops, one.flops, 1e-9 * one.flops);
    EXPECT_GT(cut.link_bytes, 0);
  }
  EXPECT_EQ(one.link_bytes, 0);
  const double dense = 6 * run_of(1, 1).model.parameters() * 16 * 2048;
  EXPECT_GT(one.flops, dense);
  EXPECT_LT(one.flops, 1.4 * dense);
}

TEST(Energy, AnAllReduceSendsTwiceWhatAReduceScatterDoes) {
  const System s = with_energies();
  const Work w = work_of(s, {Collective{CollectiveOp::AllReduce, 8, 1e9}, "", ""});
  EXPECT_DOUBLE_EQ(w.link_bytes, 8 * 2 * 1e9 * 7 / 8);
  EXPECT_DOUBLE_EQ(energy_breakdown(s, w, 0)->links, 100e-12 * w.link_bytes);
}

double named(const std::vector<Elasticity>& all, const std::string& input) {
  for (const Elasticity& e : all) {
    if (e.input == input)
      return e.value;
  }
  ADD_FAILURE() << input;
  return 0;
}

TEST(Sensitivity, EveryInputMovesWhatItShould) {
  const System a100 = read_system("a100");
  const auto thin = elasticities(a100, {Gemm{1, 1, 16384, 16384, Precision::Bf16}, "", ""});
  EXPECT_NEAR(named(thin, "memory bandwidth"), -1, 0.1);
  EXPECT_NEAR(named(thin, "constant memory"), -1, 0.1);
  EXPECT_NEAR(named(thin, "latency between nodes"), 0, 1e-9);
  const auto large = elasticities(a100, {Gemm{1, 8192, 8192, 8192, Precision::Bf16}, "", ""});
  EXPECT_NEAR(named(large, "constant compute"), -0.9, 0.1);  // the corner of the roofline is round
  EXPECT_LT(named(large, "operations a cycle"), -0.7);
}

TEST(Sensitivity, DoubledSizesAreTimedAndImpossibleOnesLeftOut) {
  const System a100 = read_system("a100");
  TrainingRun run = run_of(1, 16);
  const auto all = doublings(a100, {run, "", ""});
  const auto ratio = [&all](const std::string& input) {
    for (const Doubling& d : all) {
      if (d.input == input)
        return d.ratio;
    }
    return 0.0;
  };
  EXPECT_NEAR(ratio("layers"), 2, 0.25);
  EXPECT_EQ(ratio("data ways"), 0);       // a batch of 16 does not divide over 32 replicas
  EXPECT_GT(ratio("global_batch"), 1.3);  // the optimizer does not grow
}

}  // namespace
}  // namespace lento::predict
