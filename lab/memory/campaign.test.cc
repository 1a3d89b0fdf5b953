#include "lab/memory/campaign.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lento::lab {
namespace {

// Seeds that no figure in the documentation comes from. At a bar of 48 in 50, four seeds of each cause miss
// once with probability 0.15 a cause at worst; none has missed.
TEST(Planted, CauseAndVariableAreNamedAndTwinsAreQuiet) {
  for (int p = 0; p < kPlants; ++p) {
    for (uint64_t seed = 9000; seed < 9004; ++seed) {
      const PlantedTrial t = try_planted(static_cast<Plant>(p), seed);
      const std::string where = std::string(to_string(t.plant)) + " seed " + std::to_string(seed) + ": " +
                                t.category + " on " + t.subject + ", " + std::to_string(t.cpus) +
                                " CPUs, 1:" + std::to_string(t.period);
      EXPECT_TRUE(t.cause_right) << where;
      EXPECT_TRUE(t.variable_right) << where;
      EXPECT_EQ(t.twin_findings, 0) << where << ", twin: " << t.twin_category;
    }
  }
}

TEST(Planted, TheTableCountsCausesVariablesAndTwins) {
  PlantedTrial right;
  right.plant = Plant::Lock;
  right.seed = 7;
  right.cause_right = right.variable_right = true;
  right.category = "lock";
  right.subject = "engine::victim, line 0x1";
  right.twin_outcome = "healthy";
  PlantedTrial wrong = right;
  wrong.variable_right = false;
  wrong.twin_findings = 1;
  wrong.twin_outcome = "findings";
  const finding::Diagnosis d = summarize_planted({right, wrong});
  EXPECT_EQ(d.verdict, "1 of 2 with cause and variable right; 1 twins accused");
  const auto& table = std::get<finding::TableFigure>(d.figures.at(0).body);
  EXPECT_EQ(table.rows.at(0), (std::vector<std::string>{"lock", "2", "1", "2", "1", "1"}));
}

TEST(Planted, OneRowATrialAndCommasStayInTheirField) {
  PlantedTrial t;
  t.plant = Plant::Bank;
  t.seed = 9;
  t.subject = "a, b";
  const std::string text = trials_csv({t, t});
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_NE(text.find("bank or set conflict,9,"), std::string::npos);
  EXPECT_NE(text.find("\"a, b\""), std::string::npos);
}

TEST(Planted, ATrialIsRepeatableAndItsRowHasAFieldForEachColumn) {
  const std::string text = trials_csv({try_planted(Plant::Remote, 9100), try_planted(Plant::Remote, 9100)});
  const size_t first = text.find('\n');
  const size_t second = text.find('\n', first + 1);
  const std::string header = text.substr(0, first);
  const std::string row = text.substr(first + 1, second - first - 1);
  EXPECT_EQ(text.substr(second + 1), row + "\n");
  // Commas inside quotes belong to their field.
  bool quoted = false;
  const auto commas = std::ranges::count_if(row, [&quoted](char c) {
    quoted = quoted != (c == '"');
    return c == ',' && !quoted;
  });
  EXPECT_EQ(commas, std::ranges::count(header, ','));
}

TEST(Planted, SameSeedSameTrace) {
  EXPECT_EQ(plant(Plant::Lock, 5, false).records, plant(Plant::Lock, 5, false).records);
  EXPECT_NE(plant(Plant::Lock, 5, false).records, plant(Plant::Lock, 6, false).records);
}

}  // namespace
}  // namespace lento::lab
