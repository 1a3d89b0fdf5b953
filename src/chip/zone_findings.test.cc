// Verdicts on tables of computations, with and without transfers beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/file.h"
#include "base/rng.h"
#include "chip/examine.h"

namespace lento::chip {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

struct Table {
  double slow = 1;  // computations of core 2-1
  bool transfers = true;
  bool hexadecimal = false;
  uint64_t seed = 1;
};

// Sixteen cores that read from tile 0-0 and compute, 20 times each.
std::string path_of(const Table& made) {
  base::Rng rng(made.seed, "zone_findings.test");
  std::string text = "component,kind,peer,bytes,start,end,layer\n";
  const auto time = [&](uint64_t cycles) {
    std::array<char, 32> digits{};
    const int length = std::snprintf(
        digits.data(),
        digits.size(),
        made.hexadecimal ? "0x%llx" : "%llu",
        static_cast<unsigned long long>(cycles));
    return std::string(digits.data(), size_t(length));
  };
  const auto row = [&](const std::string& start, uint64_t begin, uint64_t end, const char* layer) {
    text += start + "," + time(begin) + "," + time(end) + "," + layer + "\n";
  };
  for (int core = 0; core < 16; ++core) {
    const std::string place = std::to_string(core % 4) + "-" + std::to_string(core / 4);
    uint64_t now = 1000;
    for (int i = 0; i < 20; ++i) {
      if (made.transfers) {
        const auto cycles = uint64_t(400 * std::exp(rng.normal(0, 0.02)));
        row(place + ",read,0-0,2048", now, now + cycles, "w");
        now += cycles;
      }
      const double factor = core == 6 ? made.slow : 1;
      const auto cycles = uint64_t(900 * factor * std::exp(rng.normal(0, 0.02)));
      row(place + ",compute,,0", now, now + cycles, "mm");
      now += cycles + 50;
    }
  }
  const std::string path = testing::TempDir() + "zone_findings.csv";
  base::write_file(path, text);
  return path;
}

finding::Diagnosis examined(const std::string& path) {
  ChipExamineOptions options;
  options.sources.files = {path};
  return chip_examine(options);
}

TEST(ZoneFindings, ComputationsBesideTransfersAreJudged) {
  const finding::Diagnosis d = examined(path_of({.slow = 1.4}));
  ASSERT_EQ(d.outcome, finding::Outcome::Findings) << d.verdict;
  EXPECT_EQ(d.findings[0].subject, "core 2-1");
  EXPECT_NEAR(*d.findings[0].factor, 1.4, 0.05);
  const finding::Diagnosis healthy = examined(path_of({}));
  EXPECT_EQ(healthy.outcome, finding::Outcome::Healthy) << healthy.verdict;
  EXPECT_THAT(healthy.verdict, HasSubstr("Computations: No core is slower"));
  EXPECT_THAT(healthy.covered, HasSubstr("320 computations of 16 cores"));
}

TEST(ZoneFindings, TheEarlierRunIsComparedToo) {
  ChipCompareOptions options;
  const std::string before = testing::TempDir() + "zone_findings_before.csv";
  base::write_file(before, base::read_file(path_of({})));
  options.before.files = {before};
  options.after.files = {path_of({.slow = 1.4, .seed = 2})};
  const finding::Diagnosis d = chip_compare(options);
  ASSERT_EQ(d.outcome, finding::Outcome::Findings) << d.verdict;
  EXPECT_THAT(
      d.findings,
      Contains(testing::Field("subject", &finding::Finding::subject, std::string("core 2-1"))));
}

TEST(ZoneFindings, ZonesNeedNoFabric) {
  const finding::Diagnosis d = examined(path_of({.transfers = false, .hexadecimal = true}));
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy) << d.verdict;
  EXPECT_THAT(d.title, testing::Not(HasSubstr("wormhole")));
  const finding::Diagnosis assumed = examined(path_of({}));
  EXPECT_THAT(assumed.notes, Contains(StartsWith("No --chip was given")));
}

TEST(ZoneFindings, NumbersOfComponentsAreExplained) {
  std::string text = "component,start,end,layer\n";
  for (int core = 0; core < 8; ++core)
    for (int i = 0; i < 6; ++i)
      text += std::to_string(core) + "," + std::to_string(1000 * i) + "," +
              std::to_string(1000 * i + 400 + core) + ",c\n";
  const std::string path = testing::TempDir() + "numbered.csv";
  base::write_file(path, text);
  EXPECT_THAT(examined(path).notes, Contains(HasSubstr("number 6 is written 6-0")));
}

TEST(ZoneFindings, RecordsOfWhichNoneIsReadAreNotJudged) {
  const std::string path = testing::TempDir() + "unread.csv";
  base::write_file(path, "component,start,end\n1-1,soon,later\n");
  const finding::Diagnosis d = examined(path);
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_THAT(d.reason, HasSubstr("a start that is no time"));
}

}  // namespace
}  // namespace lento::chip
