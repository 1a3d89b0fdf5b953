// A detection in words and pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "chip/detect/detect.h"
#include "chip/detect/test_chip.h"
#include "chip/map/file/map_file.h"

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
      ProbeRecord r;
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

// A healthy verdict says which links it does not cover, because the recorders had no room for their
// transfers.
TEST_F(DiagnosisTest, LinksOfWhichTooLittleIsHeldAreSaid) {
  const std::string map = "examples/chip/tiny.map.json";
  const Program program = expand(read_map(map), quiet_.file(), map);
  const auto notes = [&](uint16_t transfers) {
    SketchShape shape;
    shape.hashes = shape.buckets = 0;
    shape.transfers = transfers;
    Sketch sketch(std::vector<SketchShape>(16, shape), SketchOptions{});
    for_each_record(program, Grid(quiet_.file()), [&](size_t, ProbeRecord r, uint64_t times) {
      for (r.end = r.begin + 1000; times > 0; --times)
        sketch.record(r);
    });
    std::string out;
    for (const std::string& note : diagnose(detection_, sketch, quiet_.file(), program).notes)
      out += note + "\n";
    return out;
  };
  EXPECT_EQ(notes(16).find("fewer than 10 transfers an inference across"), std::string::npos) << notes(16);
  EXPECT_NE(notes(1).find("fewer than 10 transfers an inference across"), std::string::npos) << notes(1);
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
    EXPECT_FALSE(f.lost_share)
        << "what a part lost is not what the run lost, which may have waited for others";
    EXPECT_NO_THROW(finding::check_shapes(d, {}));
  }
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
      {chip::ProbeKind::Message, 12, 0},
      {chip::ProbeKind::Read, 12, 0},
      {chip::ProbeKind::Write, 12, 0},
      {chip::ProbeKind::Read, 12, 0}};
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
  EXPECT_EQ(slow, 4);
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

// A mesh of cores by what they took, whatever is reported.
TEST_F(DiagnosisTest, CoresAreDrawnByTheirServiceTime) {
  Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
  const auto compute = [&](uint16_t core, uint32_t layer, double factor, int times) {
    for (int i = 0; i < times; ++i) {
      ProbeRecord r;
      r.core = core;
      r.layer = layer;
      r.work = 1 << 20;
      r.end = uint64_t(double(r.work) / quiet_.file().core.ops_per_cycle * factor);
      sketch.record(r);
    }
  };
  compute(0, 0, 1, 10);
  compute(1, 0, 4, 10);
  compute(2, 0, 1, 30);
  compute(2, 1, 4, 10);
  ProbeRecord slow;  // a message says nothing about its core
  slow.kind = chip::ProbeKind::Message;
  slow.core = 0;
  slow.peer = 1;
  slow.work = 64;
  slow.end = 1'000'000;
  for (int i = 0; i < 5; ++i)
    sketch.record(slow);
  Program program;
  program.first_section.assign(17, 0);
  const finding::Diagnosis d = diagnose(detection_, sketch, quiet_.file(), program);
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  EXPECT_EQ(mesh.width, 4);
  EXPECT_EQ(mesh.height, 4);
  EXPECT_NEAR(mesh.cores[0].value, 1, 0.01);
  EXPECT_NEAR(mesh.cores[1].value, 4, 0.04);
  EXPECT_NEAR(mesh.cores[2].value, std::exp2(2 * 10 / 40.0), 0.02);
  EXPECT_TRUE(std::isnan(mesh.cores[3].value));
  EXPECT_EQ(mesh.cores[6].x, 2);
  EXPECT_EQ(mesh.cores[6].y, 1);
  EXPECT_EQ(mesh.cores[6].label, "core6");
}

// The other end of a message is a core; of a read the core at the port.
TEST_F(DiagnosisTest, RoutesAreNamedByBothEnds) {
  Suspect s = suspect({Part::Link, 5, 6}, 3, 50);
  s.patterns = {
      {chip::ProbeKind::Message, 12, 6},
      {chip::ProbeKind::Read, 12, 6},
      {chip::ProbeKind::Write, 12, 6}};
  s.cores = {5, 5, 5};
  report(s);
  const finding::Diagnosis d = told();
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  const int at_port = quiet_.grid().core(quiet_.grid().port_position(6));
  const std::string port = at_port >= 0 ? quiet_.grid().core_name(at_port) : quiet_.grid().port_name(6);
  ASSERT_EQ(mesh.routes.size(), 3u);
  EXPECT_NE(port, "core6");
  EXPECT_EQ(mesh.routes[0].label, "core6 to core5");
  EXPECT_EQ(mesh.routes[1].label, port + " to core5");
  EXPECT_EQ(mesh.routes[2].label, "core5 to " + port);
  EXPECT_EQ(mesh.routes[0].hops, (std::vector<std::pair<int, int>>{{2, 1}, {1, 1}}));
}

TEST_F(DiagnosisTest, ASlowLinkIsDrawnBothWaysWithItsLargestFactor) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  report(suspect({Part::Router, 5}, 2, 40));
  const finding::Diagnosis d = told();
  const auto& mesh = std::get<finding::MeshFigure>(d.figures[0].body);
  EXPECT_EQ(std::ranges::count(mesh.links, 3.0, &finding::MeshFigure::Link::value), 1);
  EXPECT_EQ(std::ranges::count(mesh.links, 2.0, &finding::MeshFigure::Link::value), 3);
  // The others are as they should be, or grey where the mapping sends nothing.
  for (const finding::MeshFigure::Link& link : mesh.links)
    EXPECT_TRUE(link.value >= 1 || std::isnan(link.value));
  EXPECT_EQ(mesh.links.size(), 24U);
}

TEST_F(DiagnosisTest, ATorusIsDrawnWithoutItsWrappingLinks) {
  spec::Chip torus = quiet_.file();
  torus.topology = spec::Topology::Torus;
  Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
  Program program;
  program.first_section.assign(17, 0);
  const finding::Diagnosis d = diagnose(detection_, sketch, torus, program);
  EXPECT_EQ(std::get<finding::MeshFigure>(d.figures[0].body).links.size(), 24u);
}

TEST_F(DiagnosisTest, FactsSayWhatTheRecorderHeld) {
  const finding::Diagnosis d = told(1000);
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, value] : d.facts)
      if (key == name)
        return value;
    return std::string{};
  };
  EXPECT_EQ(fact("records seen by the recorder"), "1000");
  Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
  EXPECT_EQ(fact("recorder memory, all cores"), std::to_string(sketch.bytes()) + " B");
  const double times = 40.0 * 1000 / double(sketch.bytes());
  EXPECT_NEAR(std::stod(fact("compression against 40-byte records")), times, 0.001 * times);
  EXPECT_EQ(fact("patterns evicted"), "");
  EXPECT_FALSE(fact("recorded time").empty());
}

TEST_F(DiagnosisTest, EvidenceNamesRecordsAndWaiting) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  report(suspect({Part::Core, 3}, 3, 40));
  const finding::Diagnosis d = told();
  const auto has = [&](size_t f, const std::string& words, double value) {
    return std::ranges::any_of(d.findings.at(f).evidence, [&](const finding::Evidence& e) {
      return e.text.find(words) != std::string::npos && e.value == value;
    });
  };
  EXPECT_TRUE(has(0, "records through it", 42));
  EXPECT_TRUE(has(0, "waiting that it added", 50));
  EXPECT_TRUE(has(1, "records through it", 42));
  EXPECT_FALSE(has(1, "waiting that it added", 40));
  EXPECT_NE(d.findings[0].summary.find("about 3 times slower"), std::string::npos);
}

TEST_F(DiagnosisTest, TimesOfTheListAreSeconds) {
  report(suspect({Part::Link, 5, 6}, 3, 50));
  const finding::Diagnosis d = told();
  const auto& line = std::get<finding::TimelineFigure>(d.figures[1].body);
  EXPECT_DOUBLE_EQ(line.spans.at(0).begin, 100'000 / quiet_.file().clock_hz);
  EXPECT_DOUBLE_EQ(line.spans[0].end, 600'000 / quiet_.file().clock_hz);
  const auto& table = std::get<finding::TableFigure>(d.figures[2].body);
  EXPECT_EQ(table.rows.at(0)[2], "0.05");
  EXPECT_EQ(table.rows[0][3], "3");
  EXPECT_EQ(table.rows[0][4], "50");
}

}  // namespace
}  // namespace lento::chip
