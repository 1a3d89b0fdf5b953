// Closed forms and limits of the kernel, collective and training models, and the tables they answer.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "base/file.h"
#include "base/test_error.h"
#include "predict/time/calibrate.h"
#include "predict/time/explain.h"
#include "predict/time/fit.h"
#include "predict/time/workload.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using testing::HasSubstr;

TEST(Gemm, LargeProductsApproachTheCalibratedPeak) {
  const System v100 = read_system("v100");
  const KernelTime t = predict_gemm(v100, {1, 8192, 8192, 8192, Precision::Fp32});
  const double floor =
      t.flops / (v100.chip.peak(Precision::Fp32) * v100.chip.constants(Precision::Fp32).compute);
  EXPECT_EQ(t.bound, Bound::Compute);
  EXPECT_GT(t.seconds, floor);
  EXPECT_LT(t.seconds, 1.2 * floor);
}

TEST(Gemm, ThinProductsStreamTheirWeights) {
  const System h100 = read_system("h100");
  const KernelTime t = predict_gemm(h100, {1, 1, 16384, 16384, Precision::Bf16});
  const double stream = 2.0 * 16384 * 16384 / h100.chip.memory_Bps;
  EXPECT_EQ(t.bound, Bound::Memory);
  EXPECT_GT(t.seconds, stream);
  EXPECT_LT(t.seconds, 1.4 * stream);
}

TEST(Gemm, NeverBelowTheRooflineWithTheSameConstants) {
  const System a100 = read_system("a100");
  const Calibration& c = a100.chip.constants(Precision::Bf16);
  for (const int64_t m : {1, 17, 128, 4096}) {
    for (const int64_t n : {64, 1000, 12288}) {
      for (const int64_t k : {64, 4096, 65536}) {
        const Gemm g{1, m, n, k, Precision::Bf16};
        EXPECT_GE(predict_gemm(a100, g).seconds, predict_roofline(a100.chip, {c.compute, c.memory, 0}, g))
            << m << " " << n << " " << k;
      }
    }
  }
}

TEST(Gemm, AFasterChipIsNeverSlower) {
  System system = read_system("a100");
  const Gemm g{1, 777, 3000, 5000, Precision::Bf16};
  const double before = predict_gemm(system, g).seconds;
  system.chip.memory_Bps *= 2;
  EXPECT_LE(predict_gemm(system, g).seconds, before);
  system.chip.clock_hz *= 2;
  EXPECT_LT(predict_gemm(system, g).seconds, before);
}

TEST(Gemm, PersistentKernelsAreNeverSlower) {
  System h100 = read_system("h100");
  System plain = h100;
  plain.chip.persistent = false;
  for (const int64_t m : {64, 1025, 4353}) {
    const Gemm g{1, m, 4096, 4096, Precision::Bf16};
    EXPECT_LE(predict_gemm(h100, g).seconds, predict_gemm(plain, g).seconds) << m;
  }
  EXPECT_LT(
      predict_gemm(h100, {1, 4352, 256, 10240, Precision::Bf16}).seconds,
      0.99 * predict_gemm(plain, {1, 4352, 256, 10240, Precision::Bf16}).seconds);
}

TEST(Gemm, ASmallProductReadsItsOperandsOnce) {
  const KernelTime t = predict_gemm(read_system("a100"), {1, 1024, 1024, 128, Precision::Bf16});
  EXPECT_NEAR(t.memory_bytes, 1.05 * 2 * 2 * 1024 * 128, 1);  // the result stays in the cache
}

TEST(Gemm, MissingArithmeticIsRefused) {
  EXPECT_THAT(
      error_of([] {
        predict_gemm(read_system("v100"), {1, 64, 64, 64, Precision::Bf16});
      }),
      HasSubstr("no bf16 arithmetic"));
}

// Weights that fit one tile are read once, whatever streams by; so are activations, by the mirrored product.
TEST(Dataflow, WhatStaysMovesOnce) {
  System s = read_system("a100");
  s.chip.cache_bytes = 1e3;  // nothing else is kept
  s.chip.dataflow = Stationary::Weight;
  const Gemm tall{1, 1 << 20, 128, 128, Precision::Bf16};
  const double m = 1 << 20;
  EXPECT_NEAR(predict_gemm(s, tall).memory_bytes, 1.05 * 2 * (m * 128 + 128 * 128 + m * 128), 1);
  s.chip.dataflow = Stationary::Activation;
  const Gemm wide{1, 128, 1 << 20, 128, Precision::Bf16};
  EXPECT_NEAR(predict_gemm(s, wide).memory_bytes, 1.05 * 2 * (m * 128 + 128 * 128 + m * 128), 1);
}

// Every tile of the reduction but the last reads and writes the partial sums; every column of tiles reads the
// activations.
TEST(Dataflow, PartialSumsTravelWhereWeightsStay) {
  System s = read_system("a100");
  s.chip.units = 1;
  s.chip.cache_bytes = 1e3;
  s.chip.unit_results = 2 * 128 * 128 / 4;  // as many bytes as 128 x 128 half-precision weights
  s.chip.dataflow = Stationary::Weight;
  const KernelTime t = predict_gemm(s, {1, 1 << 16, 128, 512, Precision::Bf16});
  ASSERT_LE(t.tile.m * t.tile.n, 128 * 128);
  const double m = 1 << 16, reductions = 512.0 / t.tile.m, columns = 128.0 / t.tile.n;
  EXPECT_NEAR(
      t.memory_bytes,
      1.05 * (2 * (m * 512 * columns + 512 * 128 + m * 128) + 2 * 4 * m * 128 * (reductions - 1)),
      1);
}

TEST(Dataflow, TheBestIsTheFastestOfTheThree) {
  System s = read_system("h100");
  s.chip.cache_bytes = 1e6;
  for (const Gemm& g :
       {Gemm{1, 8, 16384, 16384},
        Gemm{1, 65536, 512, 512},
        Gemm{1, 512, 65536, 512},
        Gemm{4, 2048, 2048, 8192}}) {
    double least = INFINITY;
    for (const Stationary one : {Stationary::Output, Stationary::Weight, Stationary::Activation}) {
      s.chip.dataflow = one;
      const KernelTime t = predict_gemm(s, g);
      EXPECT_EQ(t.tile.stays, one);
      least = std::min(least, t.seconds);
    }
    s.chip.dataflow = Stationary::Best;
    EXPECT_DOUBLE_EQ(predict_gemm(s, g).seconds, least);
  }
}

TEST(Rings, DgxOneHasTheKnownNumbers) {
  const NodeLinks links = read_system("v100").network.node;
  const size_t expected[] = {1, 2, 4, 0, 2, 4, 6};
  for (int n = 2; n <= 8; ++n)
    EXPECT_EQ(disjoint_rings(links, n).size(), expected[n - 2]) << n;
}

TEST(Rings, NoLaneIsUsedTwiceInOneDirection) {
  const NodeLinks links = read_system("v100").network.node;
  int used[8][8] = {};
  for (const std::vector<int>& ring : disjoint_rings(links, 8)) {
    ASSERT_EQ(ring.size(), 8u);
    for (size_t i = 0; i < ring.size(); ++i)
      ++used[ring[i]][ring[(i + 1) % 8]];
  }
  for (const NodeLinks::Link& link : links.links) {
    EXPECT_LE(used[link.a][link.b], link.lanes);
    EXPECT_LE(used[link.b][link.a], link.lanes);
  }
}

TEST(Collective, RingFormulaAndMissingNetwork) {
  const System v100 = read_system("v100");
  const CollectiveTime t = predict_collective(v100, {CollectiveOp::AllReduce, 4, 1e9});
  EXPECT_NEAR(t.bandwidth_s, 1e9 * 1.5 / (4 * 22.5e9), 1e-6);
  EXPECT_THAT(
      error_of([] {
        predict_collective(read_system("p4"), {CollectiveOp::AllReduce, 2, 1e6});
      }),
      HasSubstr("how devices are linked"));
}

TrainingRun small_run() {
  TrainingRun run;
  run.model.layers = 24;
  run.model.hidden = 2048;
  run.model.heads = 16;
  run.global_batch = 64;
  return run;
}

TEST(Training, PartsAddUpAndBubbleShrinksWithMicroBatches) {
  const System a100 = read_system("a100");
  TrainingRun run = small_run();
  run.pipeline = 4;
  const TrainingTime t = predict_training(a100, run);
  EXPECT_NEAR(
      t.seconds,
      t.compute_s + t.recompute_s + t.tensor_s + t.pipeline_s + t.bubble_s + t.data_s + t.optimizer_s +
          t.host_s,
      1e-9);
  run.global_batch *= 4;
  const TrainingTime more = predict_training(a100, run);
  EXPECT_LT(more.bubble_s / more.seconds, t.bubble_s / t.seconds);
  EXPECT_NEAR(more.bubble_s, t.bubble_s, 1e-9);
}

TEST(Training, ShardingAndRecomputationSaveMemory) {
  TrainingRun run = small_run();
  run.data = 8;
  const double plain = training_memory(run, Stack{}).total();
  run.zero = 1;
  const double sharded = training_memory(run, Stack{}).total();
  EXPECT_LT(sharded, plain);
  run.recompute = Recompute::Full;
  EXPECT_LT(training_memory(run, Stack{}).total(), sharded);
}

TEST(Training, CopiesInsideNodesSpareTheLinksBetweenThemAndTakeMemory) {
  System h100 = read_system("h100");
  h100.network.between_Bps = 0.2e9;  // hides nothing
  TrainingRun run = small_run();
  run.data = 32;
  run.zero = 3;
  run.fp32_gradients = false;
  const TrainingTime all = predict_training(h100, run);
  run.shard = 8;
  const TrainingTime nodes = predict_training(h100, run);
  // Two gathers and a scatter of two bytes each become one sum, which travels twice.
  EXPECT_NEAR(nodes.data_s / all.data_s, 2.0 / 3, 0.05);
  EXPECT_GT(nodes.weight_bytes, all.weight_bytes);
  run.shard = 32;
  EXPECT_DOUBLE_EQ(predict_training(h100, run).seconds, all.seconds);
  run.shard = 5;
  EXPECT_THAT(
      error_of([&] {
        predict_training(h100, run);
      }),
      HasSubstr("the nearest that divides: 4 or 8"));
}

TEST(Training, ImpossibleParallelismIsRefused) {
  const System a100 = read_system("a100");
  TrainingRun run = small_run();
  run.tensor = 3;
  EXPECT_THAT(
      error_of([&] {
        predict_training(a100, run);
      }),
      HasSubstr("16 heads do not divide into 3"));
  run.tensor = 1;
  run.data = 7;
  EXPECT_THAT(
      error_of([&] {
        predict_training(a100, run);
      }),
      HasSubstr("does not divide into 7 replicas"));
  run.data = 1;
  run.pipeline = 2;
  run.interleave = int(run.model.layers);
  EXPECT_THAT(
      error_of([&] {
        predict_training(a100, run);
      }),
      HasSubstr("interleave at most " + std::to_string((run.model.layers + 2) / 2)));
}

TEST(Fit, FindsPlantedParameters) {
  const auto loss = [](const std::vector<double>& x) {
    return std::abs(std::log(x[0] / 3)) + std::abs(std::log(x[1] / 0.02));
  };
  const std::vector<double> found = minimise(loss, {1, 1}, {400, 3, 0.5});
  EXPECT_NEAR(found[0], 3, 0.01);
  EXPECT_NEAR(found[1], 0.02, 0.001);
}

// Constants that made the measurements are found again well enough to predict held-out rows.
TEST(Calibrate, PlantedConstantsPredictHeldOutRows) {
  System system = read_system("a100");
  Calibration planted;
  planted.compute = 0.7;
  planted.memory = 0.6;
  Stack stack;
  stack.launch_s = 7e-6;
  std::vector<Measurement> rows;
  for (uint64_t i = 0; i < 120; ++i) {
    const Gemm g{
        1,
        int64_t{1} << (i % 14),
        256 * int64_t(1 + i % 17),
        512 * int64_t(1 + i % 11),
        Precision::Bf16};
    rows.push_back({{g, "", ""}, predict_gemm(system.chip, stack, planted, g).seconds, i});
  }
  const GemmFit fit = calibrate_gemm(system, rows, {Precision::Bf16, 0});
  EXPECT_LT(fit.held_out.mean, 0.03);
  EXPECT_GT(fit.roofline_held_out.mean, fit.held_out.mean);
}

TEST(Calibrate, TooManyFrameworksAreNamed) {
  std::vector<Measurement> rows;
  for (uint64_t i = 0; i < 70; ++i)
    rows.push_back({{Gemm{}, "", "framework " + std::to_string(i % 7)}, 1e-5, i});
  EXPECT_THAT(
      error_of([&] {
        calibrate_gemm(read_system("a100"), rows, {Precision::Bf16, 0});
      }),
      HasSubstr("the rows name 7 frameworks"));
}

TEST(Calibrate, RunsThatCannotBeLaidOutAreSkippedAndCounted) {
  const System a100 = read_system("a100");
  std::vector<Measurement> rows;
  for (uint64_t i = 0; i < 60; ++i) {
    TrainingRun run;
    run.model.layers = 4;
    run.model.hidden = 1024;
    run.model.heads = 16;
    run.global_batch = i % 6 == 0 ? 3 : 4;  // 3 does not divide over two replicas
    run.data = 2;
    rows.push_back({{run, "", ""}, 0.05, i});
  }
  const StackScalar* library = &stack_scalars().back();
  EXPECT_EQ(calibrate_training(a100, rows, {8, "", {library}}).skipped, 10U);
}

constexpr const char* kConfig = R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
  "tie_word_embeddings": false})";

TEST(Workload, ConfigJsonGivesTheKnownParameterCount) {
  const Question q = parse_workload(kConfig, "config.json", {});
  const InferenceRun& run = std::get<InferenceRun>(q.what);
  EXPECT_NEAR(run.model.parameters(), 8.03e9, 0.01e9);
  EXPECT_THAT(
      error_of([] {
        parse_workload("{}", "config.json", {});
      }),
      HasSubstr("there is no 'hidden_size'"));
}

TEST(Workload, ParallelOptionsAreApplied) {
  RunOptions options;
  options.training = true;
  options.batch = 64;
  options.parallel = "tp=4,dp=2,zero=1";
  const TrainingRun run = std::get<TrainingRun>(parse_workload(kConfig, "config.json", options).what);
  EXPECT_EQ(run.devices(), 8);
  EXPECT_EQ(run.zero, 1);
  options.parallel = "xp=4";
  EXPECT_THAT(
      error_of([&] {
        parse_workload(kConfig, "config.json", options);
      }),
      HasSubstr("'xp' is no kind of parallelism"));
}

TEST(Workload, RanksArePlacedAsTheFileSays) {
  const auto run = [](const std::string& placement) {
    const std::string text =
        "schema: lento.workload/1\nmodel: {layers: 8, hidden: 512, heads: 8}\nplacement: " + placement + "\n";
    return std::get<TrainingRun>(parse_workload(text, "w.yaml", {}).what);
  };
  EXPECT_TRUE(run("best").best_placement);
  EXPECT_EQ(run("data-tensor").placement[0], Axis::Data);
  EXPECT_THAT(
      error_of([&] {
        run("data-width");
      }),
      HasSubstr("w.yaml:3"));
}

TEST(Workload, YamlMistakesAreToldTogether) {
  const std::string error = error_of([] {
    parse_workload("schema: lento.workload/1\nkind: gemm\nprecision: fp33\nm: 0\ncolour: 1\n", "w.yaml", {});
  });
  EXPECT_THAT(error, HasSubstr("fp33"));
  EXPECT_THAT(error, HasSubstr("w.yaml:4"));
  EXPECT_THAT(error, HasSubstr("colour"));
}

TEST(Explain, TellsWhereTimeGoesAndWhatItIsSensitiveTo) {
  RunOptions options;
  options.training = true;
  options.batch = 64;
  options.parallel = "tp=4,dp=2,zero=1";
  const finding::Diagnosis d = explain(read_system("h100"), parse_workload(kConfig, "config.json", options));
  std::vector<std::string> titles;
  for (const finding::Figure& f : d.figures)
    titles.push_back(f.title);
  EXPECT_THAT(
      titles,
      testing::ElementsAre(
          "Where the time goes",
          "Timeline",
          "Placements",
          "Roofline",
          "Sensitivity",
          "Sizes"));
  for (const char* scalar : {"compute", "attention", "library", "hand_over (s)"})
    EXPECT_TRUE(std::ranges::any_of(d.options, [&](const auto& o) {
      return o.first == scalar;
    })) << scalar;
  ASSERT_EQ(d.expectations.size(), 1u);
  EXPECT_EQ(d.expectations[0].subject, "step");
  EXPECT_GT(d.expectations[0].value, 0);
}

class Table : public testing::Test {
 protected:
  base::CsvReader open(const std::string& text) {
    path_ = testing::TempDir() + "questions_test.csv";
    base::write_file(path_, text);
    return base::CsvReader(path_, report_);
  }
  ~Table() override {
    std::remove(path_.c_str());
  }
  std::string path_;
  base::ReadReport report_;
};

TEST_F(Table, NeuSightNamesTheReductionN) {
  base::CsvReader in = open("device,op,B,M,N,K,latency_ms\nTesla P4,linear,1,10,20,30,not read\n");
  ASSERT_TRUE(in.next());
  const Gemm g = std::get<Gemm>(parse_question(dialect_of(in), in).what);
  EXPECT_EQ(g.n, 30);
  EXPECT_EQ(g.k, 20);
  EXPECT_EQ(measured_s(Dialect::NeuSight, in), std::nullopt);
}

TEST_F(Table, MistakesNameTheField) {
  base::CsvReader in = open("m,n,k,precision\n1,2,x,fp32\n1,2,0,fp32\n1,2,3,fp33\n");
  const Dialect dialect = dialect_of(in);
  for (const char* part : {"k", "no whole number from 1", "precision 'fp33' is not known"}) {
    ASSERT_TRUE(in.next());
    EXPECT_THAT(
        error_of([&] {
          parse_question(dialect, in);
        }),
        HasSubstr(part));
  }
  base::CsvReader other = open("a,b\n1,2\n");
  EXPECT_THAT(
      error_of([&] {
        dialect_of(other);
      }),
      HasSubstr("fit no kind of question"));
}

TEST_F(Table, AVariantOfTheFamilyIsUsed) {
  Question q;
  q.device = "Tesla V100-PCIE-32GB";
  EXPECT_EQ(variant_for(read_system("v100"), q).name, "v100-pcie");
  const System h100 = read_system("h100");
  EXPECT_EQ(variant_for(h100, q).name, "h100");
}

}  // namespace
}  // namespace lento::predict
