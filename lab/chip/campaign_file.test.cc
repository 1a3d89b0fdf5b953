#include "lab/chip/campaign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/error.h"
#include "base/file.h"

namespace lento::chip {
namespace {

TEST(CampaignFile, ReadsAllAndResolvesPaths) {
  const Campaign c = parse_campaign(
      "schema: lento.campaign/1\ntitle: t\nseeds: [1, 2]\nclean_runs: 5\nlost_records: 10 %\n"
      "faults:\n  cores: 46\n  links: 106\n  factors: [1.5, 3]\n  longest: 5 s\n"
      "workloads:\n- name: a\n  chip: ../x/4x4.yaml\n  mapping: a.map.json\n"
      "- name: b\n  chip: /c.yaml\n  binary_tree:\n    depth: 3\n",
      "dir/c.yaml");
  EXPECT_EQ(c.workloads[0].chip, "x/4x4.yaml");
  EXPECT_EQ(c.workloads[0].mapping, "dir/a.map.json");
  EXPECT_EQ(c.workloads[1].chip, "/c.yaml");
  EXPECT_EQ(c.workloads[1].tree.depth, 3);
  EXPECT_EQ(c.draw.links, 106);
  EXPECT_THAT(c.factors, ::testing::ElementsAre(1.5, 3));
  EXPECT_DOUBLE_EQ(c.lost_records, 0.1);
}

TEST(CampaignFile, SeveralErrorsAtOnce) {
  try {
    parse_campaign("schema: lento.campaign/1\ninference: 3\nworkloads:\n- name: a\n  chip: c\n", "c.yaml");
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("exactly one of"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("inference"));
  }
}

// Every key that the reader asks for stands on the page of the format.
TEST(CampaignFile, ThePageNamesEveryKey) {
  const std::string page = base::read_file("docs/formats/campaign.md");
  const std::string reader =
      base::read_file("lab/chip/campaign_file.cc") + base::read_file("lab/chip/choices.cc");
  const std::regex asked(R"re((?:f\.\w+\(|read_list\(f, |^    \{)"(\w+)"[,)])re", std::regex::multiline);
  int keys = 0;
  for (std::sregex_iterator at(reader.begin(), reader.end(), asked), end; at != end; ++at, ++keys) {
    const std::string key = (*at)[1];
    if (key == "schema" || key == "faults")
      continue;
    EXPECT_TRUE(
        page.find("`" + key + "`") != std::string::npos || page.find("." + key + "`") != std::string::npos)
        << key;
  }
  EXPECT_GE(keys, 35);
}

// Capacities set by hand fit the budget beside them, whatever the workload.
void expect_recorders_fit(const Campaign& c, const std::string& path) {
  const std::vector<PatternCount> one_core(
      1,
      {
          .computes = 20,
          .transfers = 40,
      });
  for (RecorderChoice r : c.recorders) {
    if (r.kind == RecorderChoice::Kind::Sketch) {
      EXPECT_NO_THROW(Recorder(r, one_core)) << path;
    }
  }
}

// Every file that the repository ships reads, and its first line is the command that runs it.
TEST(CampaignFile, ShippedOnesRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("campaigns")) {
    if (entry.path().extension() != ".yaml")
      continue;
    const std::string path = entry.path().string();
    EXPECT_NO_THROW(expect_recorders_fit(read_campaign(path), path)) << path;
    EXPECT_TRUE(base::read_file(path).starts_with("# lento-lab chip campaign " + path)) << path;
    ++files;
  }
  EXPECT_GE(files, 20);
}

}  // namespace
}  // namespace lento::chip
