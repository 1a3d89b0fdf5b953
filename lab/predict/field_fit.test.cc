// The fit of stacks on runs whose software is known: planted stacks and sources come back, nobody is judged
// by a fit that saw his source, and the shipped table states what it rests on.
#include "lab/predict/field_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/rng.h"

namespace lento::predict {
namespace {

TrainingRun run_of(int64_t hidden, int64_t sequence) {
  TrainingRun run;
  run.model.layers = 8;
  run.model.hidden = hidden;
  run.model.heads = hidden / 128;
  run.sequence = sequence;
  run.global_batch = 16;
  run.micro_batch = 2;
  run.data = 8;
  run.zero = 3;
  return run;
}

SoftwareScalars scaled(double factor) {
  SoftwareScalars out = start_of(Work::Train);
  for (size_t p = 0; p < kSoftwareScalars; ++p) {
    const SoftwareScalar& s = scalars_of(Work::Train)[p];
    const bool is_speed = std::string_view(s.name) == "library" || std::string_view(s.name) == "attention";
    out[p] = std::clamp(is_speed ? out[p] / std::sqrt(factor) : out[p] * factor, s.low, s.high);
  }
  return out;
}

// Software twice as slow, as usual, and twice as fast, each measured by some sources of as many runs as
// sizes.
const std::map<std::string, double> kStacks{{"slow", 2.0}, {"usual", 1.0}, {"quick", 0.5}};

struct Field {
  std::vector<FieldCase> cases;

  explicit Field(int sources = 4, const std::vector<int64_t>& sizes = {1024, 2048, 4096, 6144, 8192}) {
    base::Rng rng(1, "field fit");
    for (const auto& [stack, factor] : kStacks) {
      for (int source = 0; source < sources; ++source) {
        const double habit = std::exp(rng.normal(0, 0.05));
        for (const int64_t hidden : sizes)
          add(stack, factor, stack + std::to_string(source), hidden, habit * std::exp(rng.normal(0, 0.02)));
      }
    }
  }

  void add(const std::string& stack, double factor, const std::string& source, int64_t hidden, double off) {
    FieldCase c;
    const TrainingRun run = run_of(hidden, hidden % 3 == 1 ? 2048 : 8192);
    c.row.work = Work::Train;
    c.row.chip = "h100";
    c.row.source = source + " page " + std::to_string(hidden);
    c.row.stack = c.stack = stack;
    c.row.run = run;
    c.trained = std::make_shared<TrainedWork>(*find_shipped("h100"), run);
    c.row.measured_s = c.trained->seconds(scaled(factor)) * off;
    cases.push_back(c);
  }

  std::vector<const FieldCase*> all() const {
    std::vector<const FieldCase*> out;
    for (const FieldCase& c : cases)
      out.push_back(&c);
    return out;
  }
};

TEST(FieldFit, PlantedStacksPredictRunsOfOtherSizes) {
  const FieldFit fit = fit_field(Field().all());
  ASSERT_EQ(fit.stacks.size(), kStacks.size());
  for (const auto& [stack, factor] : kStacks) {
    for (const int64_t hidden : {1536, 3072, 5120}) {
      const TrainedWork work(*find_shipped("h100"), run_of(hidden, 4096));
      EXPECT_NEAR(std::log(work.seconds(fit.of(stack)) / work.seconds(scaled(factor))), 0, 0.12)
          << stack << ' ' << hidden;
    }
  }
  EXPECT_GT(fit.error, 0.005);
  EXPECT_LT(fit.error, 0.06);
  EXPECT_LT(fit.source_spread, 0.15);
}

TEST(FieldFit, AStrangerIsGivenTheCentre) {
  const FieldFit fit = fit_field(Field().all());
  EXPECT_FALSE(fit.stacks.contains("never measured"));
  EXPECT_EQ(fit.of("never measured"), fit.centre);
  const TrainedWork work(*find_shipped("h100"), run_of(4096, 4096));
  const double centre = work.seconds(fit.centre);
  EXPECT_LT(work.seconds(fit.of("quick")), centre);
  EXPECT_GT(work.seconds(fit.of("slow")), centre);
}

TEST(FieldFit, OneStalledRunDoesNotMoveItsStack) {
  Field field;
  const SoftwareScalars before = fit_field(field.all()).of("usual");
  for (FieldCase& c : field.cases) {
    if (c.row.source == "usual2 page 4096")
      c.row.measured_s *= 8;
  }
  const FieldFit after = fit_field(field.all());
  const TrainedWork work(*find_shipped("h100"), run_of(4096, 4096));
  EXPECT_NEAR(std::log(work.seconds(after.of("usual")) / work.seconds(before)), 0, 0.05);
}

TEST(JudgeField, NobodyIsJudgedByAFitThatSawHisSource) {
  Field field(2, {1024, 4096});
  const auto predicted = [&](const std::string& group) {
    std::vector<double> out;
    for (const JudgedCase& j : judge_field(field.cases)) {
      if (j.at->row.group() == group)
        out.push_back(j.predicted_s);
    }
    return out;
  };
  const std::vector<double> before = predicted("slow1");
  ASSERT_EQ(before.size(), 2U);
  for (FieldCase& c : field.cases) {
    if (c.row.group() == "slow1")
      c.row.measured_s *= 3;
  }
  EXPECT_EQ(predicted("slow1"), before);
}

TEST(JudgeField, ErrorsAreWhatWasPlantedAndTablesAreNotJudged) {
  Field field(2, {1024, 4096});
  field.add("usual", 1, "table:maker", 2048, 1);
  field.add("alone", 1.5, "hermit", 2048, 1);
  const std::vector<JudgedCase> judged = judge_field(field.cases);
  EXPECT_EQ(judged.size(), field.cases.size() - 1);  // the maker's table is learned from, not judged
  size_t close = 0;
  for (const JudgedCase& j : judged) {
    EXPECT_FALSE(j.at->row.group().starts_with("table:"));
    EXPECT_EQ(j.known_stack, j.at->stack != "alone") << j.at->row.source;
    EXPECT_GT(j.predicted_s, j.limit_s);
    EXPECT_NEAR(j.log_error(), std::log(j.at->row.measured_s / j.predicted_s), 1e-12);
    EXPECT_NEAR(j.over_limit(), std::log(j.predicted_s / j.limit_s), 1e-12);
    close += std::abs(j.log_error()) < 0.3;
  }
  EXPECT_GE(close, judged.size() * 8 / 10);
}

TEST(JudgeField, FaultyRunsAreJudgedAndNothingIsFittedToThem) {
  Field field(2, {1024, 4096});
  const SoftwareScalars without = software_table(field.cases, {}).find(Work::Train, "usual").scalars;
  const size_t sound = judge_field(field.cases).size();
  field.add("usual", 6, "complaint", 4096, 1);
  field.cases.back().row.faulty = true;
  EXPECT_EQ(software_table(field.cases, {}).find(Work::Train, "usual").scalars, without);
  const std::vector<JudgedCase> judged = judge_field(field.cases);
  ASSERT_EQ(judged.size(), sound + 1);
  EXPECT_TRUE(std::ranges::any_of(judged, [](const JudgedCase& j) {
    return j.at->row.faulty && j.known_stack && j.log_error() > 0.5;
  }));
  EXPECT_EQ(software_table(field.cases, judged).errors.size(), sound);  // what intervals follow from
}

TEST(SoftwareTable, StatesRunsAndSourcesAndIsReadBack) {
  Field field(2, {1024, 4096});
  const std::vector<JudgedCase> judged = judge_field(field.cases);
  const SoftwareTable table = software_table(field.cases, judged);
  EXPECT_EQ(table.stacks.size(), kStacks.size() + 1);  // and the centre of all
  EXPECT_EQ(table.find(Work::Train, "").runs, field.cases.size());
  EXPECT_EQ(table.find(Work::Train, "").sources, 6U);
  EXPECT_EQ(table.find(Work::Train, "slow").runs, 4U);
  EXPECT_EQ(table.find(Work::Train, "slow").sources, 2U);
  EXPECT_EQ(table.errors.size(), judged.size());
  const SoftwareTable again = parse_software(format_software(table), "software.csv");
  ASSERT_EQ(again.stacks.size(), table.stacks.size());
  for (const auto& [stack, factor] : kStacks) {
    for (size_t p = 0; p < kSoftwareScalars; ++p) {
      const double written = table.find(Work::Train, stack).scalars[p];
      EXPECT_NEAR(again.find(Work::Train, stack).scalars[p], written, 0.01 * written) << stack << ' ' << p;
    }
  }
}

TEST(FieldCases, WhatCannotBeTimedIsRefusedWithItsReason) {
  FieldRow good;
  good.work = Work::Train;
  good.chip = "h100";
  good.source = "page";
  good.model = "good";
  good.run = run_of(2048, 2048);
  FieldRow bad = good;
  bad.model = "uneven";
  TrainingRun uneven = run_of(2048, 2048);
  uneven.tensor = 3;  // sixteen heads over three devices
  bad.run = uneven;
  std::vector<std::string> refused;
  const std::vector<FieldCase> cases = field_cases({good, bad}, refused);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].row.model, "good");
  EXPECT_GT(cases[0].seconds(start_of(Work::Train)), cases[0].limit_s());
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_NE(refused[0].find("uneven on h100"), std::string::npos);
}

}  // namespace
}  // namespace lento::predict
