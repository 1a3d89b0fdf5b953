// The optimisers' budget, starts and sums; journals' lines; goals and data sheets of designs.
#include "predict/search/minimise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/file.h"
#include "base/rng.h"
#include "base/test_error.h"
#include "predict/crossflow/machine.h"
#include "predict/search/data_sheet.h"
#include "predict/search/job.h"
#include "predict/search/plan.h"
#include "predict/search/record.h"

namespace lento::predict {
namespace {

using base::test::error_of;
using testing::HasSubstr;

// Distance from a planted point; somewhere it cannot work.
struct Planted {
  Shares at;
  double operator()(const Shares& s) const {
    double sum = 0;
    for (size_t c = 0; c < s.size(); ++c) {
      for (size_t i = 0; i < s[c].size(); ++i)
        sum += std::pow(s[c][i] - at[c][i], 2);
    }
    return s[0][0] < 0.02 ? INFINITY : sum;
  }
};

Shares drawn(base::Rng& rng, const std::vector<size_t>& sizes) {
  Shares out;
  for (const size_t size : sizes) {
    std::vector<double> part;
    for (size_t i = 0; i < size; ++i)
      part.push_back(rng.uniform(0.1, 1));
    const double sum = std::accumulate(part.begin(), part.end(), 0.0);
    for (double& p : part)
      p /= sum;
    out.push_back(part);
  }
  return out;
}

TEST(Minimise, EveryTrialSpendsWholeBudgetsAndNoMore) {
  for (const Method method : {Method::Soe, Method::Exchange, Method::Subplex}) {
    int found = 0;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      base::Rng rng(seed, "planted");
      const std::vector<size_t> sizes = {4, 4, 2};
      const Planted planted{drawn(rng, sizes)};
      MinimiseOptions o;
      o.method = method;
      o.starts = 2;
      o.seed = seed;
      o.max_evaluations = 900;
      int outside = 0;
      const Minimum m = minimise(
          [&](const Shares& s) {
            for (const auto& part : s) {
              const double sum = std::accumulate(part.begin(), part.end(), 0.0);
              const double least = *std::ranges::min_element(part);
              outside += least < -1e-12 || (method == Method::Exchange && std::abs(sum - 1) > 1e-9);
            }
            return planted(s);
          },
          sizes,
          o);
      EXPECT_EQ(outside, 0) << name_of(method);
      EXPECT_LE(m.evaluations, 900U + 22) << name_of(method);  // a gradient that was begun is ended
      EXPECT_LT(m.value, 0.6) << name_of(method) << " " << seed;
      EXPECT_DOUBLE_EQ(planted(m.at), m.value);
      found += m.value < 0.05;
    }
    EXPECT_GE(found, method == Method::Soe ? 4 : 5) << name_of(method);
  }
}

TEST(Minimise, TheGivenStartIsTheFirstAndIsNeverLost) {
  const Planted planted{{{0.5, 0.5}, {0.2, 0.8}}};
  MinimiseOptions o;
  o.starts = 1;
  o.max_evaluations = 1;
  o.first = planted.at;
  const Minimum m = minimise(planted, {2, 2}, o);
  EXPECT_EQ(m.value, 0);
  EXPECT_EQ(m.at, planted.at);
}

TEST(Minimise, NothingThatWorksIsInfinite) {
  MinimiseOptions o;
  o.starts = 2;
  o.max_evaluations = 50;
  const Minimum m = minimise(
      [](const Shares&) {
        return INFINITY;
      },
      {3},
      o);
  EXPECT_TRUE(std::isinf(m.value));
}

TEST(Minimise, MethodsAreKnownByName) {
  for (const Method method : {Method::Soe, Method::Exchange, Method::Subplex})
    EXPECT_EQ(method_of(name_of(method)), method);
  EXPECT_THAT(
      error_of([] {
        method_of("exchnge");
      }),
      HasSubstr("exchange"));
}

TEST(Record, LinesComeBackToTheBit) {
  base::Rng rng(1, "lines");
  for (int i = 0; i < 200; ++i) {
    Minimum m;
    m.at = drawn(rng, {3, 2, 4});
    m.value = std::exp(rng.uniform(-200, 200));
    m.evaluations = rng.below(uint64_t{1} << 50);
    const Minimum back = Record(line_of(m), 7).minimum({3, 2, 4});
    EXPECT_EQ(back.at, m.at);
    EXPECT_EQ(back.value, m.value);
    EXPECT_EQ(back.evaluations, m.evaluations);
  }
  EXPECT_TRUE(Record("inf 0", 1).minimum({3}).at.empty());
  EXPECT_TRUE(std::isinf(Record(text_of(INFINITY), 1).number(0)));
}

TEST(Record, EditedLinesAreRefusedWithTheirRun) {
  const auto error = [](const std::string& line) {
    return error_of([&] {
      Record(line, 12).minimum({2, 1});
    });
  };
  EXPECT_EQ(error("1.5 10 0.5 0.5 1"), "no error");
  EXPECT_THAT(
      error("1.5 10 0.5 0.5"),
      testing::AllOf(HasSubstr("run 12"), HasSubstr("ends after 4 numbers")));
  EXPECT_THAT(error("1.5 10 0.5 0.5 1 1"), HasSubstr("the design has 3 shares"));
  EXPECT_THAT(error("-1 10 0.5 0.5 1"), HasSubstr("below zero"));
  EXPECT_THAT(error("1 1.5 0.5 0.5 1"), HasSubstr("no whole number"));
  EXPECT_THAT(error("1 inf 0.5 0.5 1"), HasSubstr("no whole number"));
  EXPECT_THAT(error("1 10 x 0.5 1"), HasSubstr("run 12"));
}

TEST(Shares, OfADesignComeBackIntoIt) {
  CrossFlowConfig c = read_crossflow("examples/search/node.yaml");
  for (const int nodes : {1, 4}) {
    c.nodes_per_wafer = nodes;
    const Shares shares = shares_of(c);
    const CrossFlowConfig back = with_shares(c, shares);
    const Shares again = shares_of(back);
    ASSERT_EQ(again.size(), shares.size());
    for (size_t part = 0; part < shares.size(); ++part)
      EXPECT_THAT(again[part], testing::Pointwise(testing::DoubleNear(2e-6), shares[part]));
    // What had a share keeps its part of the sum; what had none has one of a thousandth, to start from.
    for (size_t i = 0; i < kComponents; ++i) {
      if (nodes == 1 && i == kIntra)
        continue;  // nothing is inside a package of one
      const auto& was = c.budgets;
      const auto& is = back.budgets;
      EXPECT_NEAR(is.share[i] / is.share[kCore], std::max(was.share[i], 1e-3) / was.share[kCore], 1e-9) << i;
      EXPECT_NEAR(is.area[i] / is.area[kCore], std::max(was.area[i], 1e-3) / was.area[kCore], 1e-9) << i;
    }
  }
}

TEST(DataSheet, IsTheMachineItCameFrom) {
  const CrossFlowConfig c = read_crossflow("examples/search/node.yaml");
  const Machine m = generate(c, BelowMargin::FewerUnits);
  const System s = data_sheet(c).value();
  const Precision p = c.precision >= 4 ? Precision::Fp32 : Precision::Fp16;
  EXPECT_NEAR(s.chip.peak(p) / m.raw_flops, 1, 1e-12);
  EXPECT_DOUBLE_EQ(s.chip.memory_Bps, m.memory[3].raw_bytes_per_s);
  EXPECT_DOUBLE_EQ(s.chip.memory_bytes, m.memory[3].bytes);
  EXPECT_DOUBLE_EQ(s.network.between_Bps, m.inter.bytes_per_s);
  EXPECT_EQ(s.chip.units, m.bundles);
  // As text and back it is the same machine.
  const System back = parse_system(write_system(s), "sheet.yaml");
  EXPECT_EQ(write_system(back), write_system(s));
  const Gemm g{1, 1024, 1024, 1024, p};
  EXPECT_DOUBLE_EQ(predict_gemm(back, g).seconds, predict_gemm(s, g).seconds);
}

TEST(DataSheet, ABudgetThatLeavesAPartNothingIsNoMachine) {
  for (const Component part : {kCore, kL2, kL1, kRegisters, kDram, kInter}) {
    CrossFlowConfig c = read_crossflow("examples/search/node.yaml");
    c.budgets.share[part] = 0;
    EXPECT_FALSE(data_sheet(c).has_value()) << part;
  }
}

TEST(Ways, EveryWayOfATransformerUsesAllNodesAndDivides) {
  const CrossFlowConfig design = read_crossflow("examples/search/node.yaml");
  Job job;
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = 1024;
  run.model.heads = 16;
  run.global_batch = 64;
  job.training = run;
  for (const int nodes : {1, 6, 16}) {
    for (const int dim : {1, 2}) {
      const std::vector<Way> ways = all_ways(design, job, nodes, dim, false);
      ASSERT_FALSE(ways.empty());
      std::set<std::string> seen;
      for (const Way& way : ways) {
        const TrainingRun& r = *way.training;
        EXPECT_EQ(r.devices(), nodes);
        EXPECT_EQ(r.model.heads % r.tensor, 0);
        EXPECT_EQ(r.model.layers % r.pipeline, 0);
        EXPECT_TRUE(seen.insert(to_string(way)).second) << to_string(way);
      }
      for (const Way& way : all_ways(design, job, nodes, dim, true))
        EXPECT_TRUE(is_data_parallel(way)) << to_string(way);
    }
  }
}

TEST(Ways, WhatDoesNotFitTakesForeverUnlessAsked) {
  CrossFlowConfig design = read_crossflow("examples/search/node.yaml");
  Job job;
  job.language_model = design.model;
  job.language_model.hidden = 65536;
  job.language_model.vocabulary = 1e7;
  const std::vector<Way> ways = all_ways(design, job, 1, 1, true);
  ASSERT_EQ(ways.size(), 1U);
  const JobTime strict = job_times(design, job, ways, 1, {}).at(0);
  EXPECT_GT(strict.memory_bytes, strict.memory_there);
  EXPECT_TRUE(std::isinf(strict.seconds));
  EXPECT_TRUE(std::isfinite(job_times(design, job, ways, 1, {false, false}).at(0).seconds));
}

TEST(SearchSpace, MistakesAreToldTogether) {
  const std::string folder = testing::TempDir();
  base::write_file(folder + "/node.yaml", base::read_file("examples/search/node.yaml"));
  const auto error = [&](const std::string& body) {
    base::write_file(folder + "/space.yaml", "schema: lento.search/1\nbase: node.yaml\nnodes: 4\n" + body);
    return error_of([&] {
      read_search_space(folder + "/space.yaml");
    });
  };
  EXPECT_EQ(error(""), "no error");
  EXPECT_THAT(
      error("package_dims: [0, 2, 65, x]\n"),
      testing::AllOf(HasSubstr("'0' is no side"), HasSubstr("'65' is no side"), HasSubstr("'x' is no side")));
  EXPECT_THAT(error("power: [0 W]\n"), HasSubstr("not above zero"));
  EXPECT_THAT(
      error("power: [5 kg]\n"),
      testing::AllOf(HasSubstr("space.yaml:4:8: error: found '5 kg'"), HasSubstr("mW")));
  EXPECT_THAT(error("objective: cost\n"), HasSubstr("no price of its wafer"));
  EXPECT_THAT(error("compare: {methods: [soe, bogus]}\n"), HasSubstr("'bogus' is no search method"));
  EXPECT_THAT(error("parallelism: some\n"), HasSubstr("parallelism"));
  EXPECT_THAT(error("shapes:\n  - {hidden: 0}\n"), HasSubstr("hidden"));
  EXPECT_EQ(error("objective: cost\nprices: {wafer: {N12: 4000 USD}}\n"), "no error");
}

TEST(SearchSpace, ItsIdentityIsThatOfAllItsFiles) {
  const std::string folder = testing::TempDir();
  base::write_file(folder + "/node.yaml", base::read_file("examples/search/node.yaml"));
  base::write_file(folder + "/space.yaml", "schema: lento.search/1\nbase: node.yaml\nnodes: 4\n");
  const std::string before = identity_of(folder + "/space.yaml");
  EXPECT_EQ(identity_of(folder + "/space.yaml"), before);
  base::write_file(folder + "/node.yaml", base::read_file("examples/search/node.yaml") + "\n");
  EXPECT_NE(identity_of(folder + "/space.yaml"), before);
}

}  // namespace
}  // namespace lento::predict
