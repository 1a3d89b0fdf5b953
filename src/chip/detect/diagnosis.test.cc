// A detection in words and pictures.
#include <gtest/gtest.h>

#include "chip/detect/detect.h"
#include "chip/detect/test_chip.h"

namespace lento::chip {
namespace {

class DiagnosisTest : public testing::Test {
 protected:
  test::QuietChip quiet_;
  Detection detection_;

  DiagnosisTest() {
    detection_.run_cycles = 1'000'000;
  }
  finding::Diagnosis told(uint64_t records = 1) const {
    Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
    for (uint64_t i = 0; i < records; ++i) {
      trace::ProbeRecord r;
      r.begin = i * 1000;
      r.end = r.begin + 1000;
      r.work = 1 << 20;
      sketch.record(r);
    }
    Program program;
    program.name = "net";
    program.first_section.assign(17, 0);
    return diagnose(detection_, sketch, quiet_.file(), program);
  }
  static Suspect suspect(const Component& component, double factor, double strength) {
    Suspect s;
    s.component = component;
    s.factor = factor;
    s.begin = 100'000;
    s.end = 600'000;
    s.strength = s.lost_cycles = strength;
    s.score = strength / 1000;
    s.seen = 42;
    return s;
  }
  void report(const Suspect& s) {
    detection_.reported.push_back(s);
    detection_.ranked.push_back(s);
  }
};

TEST_F(DiagnosisTest, NothingReportedIsHealthyAndSaysWhatWasLookedAt) {
  const finding::Diagnosis d = told();
  EXPECT_EQ(d.outcome, finding::Outcome::Healthy);
  EXPECT_EQ(d.verdict, "No fail-slow seen.");
  EXPECT_NE(d.covered.find("1 records of 16 cores"), std::string::npos) << d.covered;
  EXPECT_EQ(d.title, "net on " + quiet_.file().name);
}

TEST_F(DiagnosisTest, ARecorderThatHoldsNothingIsNotHealthy) {
  EXPECT_EQ(told(0).outcome, finding::Outcome::CannotJudge);
}

TEST_F(DiagnosisTest, WhatCouldNotBeJudgedAccusesNobody) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  detection_.unjudged = "most transfers differ";
  const finding::Diagnosis d = told();
  EXPECT_EQ(d.outcome, finding::Outcome::CannotJudge);
  EXPECT_TRUE(d.findings.empty());
  EXPECT_EQ(d.reason, "most transfers differ");
}

TEST_F(DiagnosisTest, EachKindHasItsWordsAndItsTime) {
  const std::pair<Component, const char*> kinds[] = {
      {{Part::Core, 3}, "slow core"},
      {{Part::Link, 5, 6}, "slow link"},
      {{Part::Router, 5}, "slow router"},
      {{Part::MemoryUnit, 5}, "slow memory unit"},
      {{Part::DramPort, 2}, "slow DRAM port"}};
  for (const auto& [component, category] : kinds) {
    detection_.reported.clear();
    detection_.ranked.clear();
    report(suspect(component, 3, 50));
    const finding::Diagnosis d = told();
    ASSERT_EQ(d.findings.size(), 1u);
    const finding::Finding& f = d.findings[0];
    EXPECT_EQ(f.category, category);
    EXPECT_EQ(f.subject, name_of(component, quiet_.grid()));
    EXPECT_NE(f.next_step.find(f.subject), std::string::npos) << f.next_step;
    EXPECT_DOUBLE_EQ(*f.factor, 3);
    EXPECT_DOUBLE_EQ(f.when->begin, 100'000 / quiet_.file().clock_hz);
    EXPECT_DOUBLE_EQ(f.when->end, 600'000 / quiet_.file().clock_hz);
    EXPECT_EQ(f.lost_share.has_value(), component.part == Part::Core);
    EXPECT_NO_THROW(finding::check_shapes(d, {}));
  }
}

TEST_F(DiagnosisTest, ACoresLossIsAShareOfTheRun) {
  report(suspect({Part::Core, 3}, 3, 250'000));
  EXPECT_DOUBLE_EQ(*told().findings[0].lost_share, 0.25);
  detection_.reported[0].lost_cycles = 5e6;
  EXPECT_DOUBLE_EQ(*told().findings[0].lost_share, 1);
}

TEST_F(DiagnosisTest, TheSurestComesFirstAndTheRestIsCounted) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  report(suspect({Part::Core, 3}, 4, 90));
  const finding::Diagnosis d = told();
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].subject, "core3");
  EXPECT_NE(d.verdict.find("core3"), std::string::npos);
  EXPECT_NE(d.verdict.find("1 more found"), std::string::npos) << d.verdict;
}

TEST_F(DiagnosisTest, SuspectsThatLookAlikeAreOneFindingOfAllTheirNames) {
  Suspect s = suspect({Part::Link, 0, 4}, 3, 50);
  s.alike = {{Part::Link, 0, 4}, {Part::Link, 4, 8}};
  report(s);
  const finding::Finding f = told().findings.at(0);
  EXPECT_EQ(f.subject, "link0-4 or link4-8");
  EXPECT_TRUE(std::ranges::any_of(f.evidence, [](const finding::Evidence& e) {
    return e.value == 2.0 && e.text.find("one of them is slow") != std::string::npos;
  }));
}

TEST_F(DiagnosisTest, RoutesThatShowItAreDrawn) {
  Suspect s = suspect({Part::Link, 1, 2}, 3, 50);
  s.patterns = {
      {trace::ProbeKind::Message, 12, 0},
      {trace::ProbeKind::Read, 12, 0},
      {trace::ProbeKind::Write, 12, 0},
      {trace::ProbeKind::Read, 12, 0}};
  s.cores = {2, 2, 1, 0};  // the last is at the port: no hop, no route
  report(s);
  const finding::Diagnosis d = told();
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  ASSERT_EQ(mesh.routes.size(), 3u);
  EXPECT_EQ(mesh.routes[0].label, "core0 to core2");
  EXPECT_EQ(mesh.routes[0].hops.size(), 3u);
  EXPECT_EQ(mesh.routes[2].label, "core1 to core0");
  EXPECT_EQ(mesh.blamed, std::vector<std::string>{"link1-2"});
}

TEST_F(DiagnosisTest, TheMeshShowsWhatIsBlamedByItsFactor) {
  report(suspect({Part::Router, 5}, 4, 50));
  const finding::Diagnosis d = told();
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  int slow = 0;
  for (const auto& link : mesh.links)
    slow += link.value == 4;
  EXPECT_EQ(slow, 8);  // four links, both ways
  EXPECT_EQ(mesh.cores.size(), 16u);
}

TEST_F(DiagnosisTest, TheListSaysWhatWasReported) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  detection_.ranked.push_back(suspect({Part::Router, 5}, 2, 20));
  const finding::Diagnosis d = told();
  const auto& table = std::get<finding::TableFigure>(d.figures[2].body);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][1], "yes");
  EXPECT_EQ(table.rows[1][0], "router5");
  EXPECT_EQ(table.rows[1][1], "no");
  const auto& line = std::get<finding::TimelineFigure>(d.figures[1].body);
  EXPECT_TRUE(line.spans[0].blamed);
  EXPECT_FALSE(line.spans[1].blamed);
}

}  // namespace
}  // namespace lento::chip
