// Figures of small traces, cell by cell.
#include <gmock/gmock.h>

#include "memory/mine/contention_report.h"
#include "memory/mine/test_trace.h"

namespace lento::memory {
namespace {

using finding::HeatMapFigure;
using finding::SeriesFigure;
using finding::TableFigure;
using finding::TimelineFigure;
using test::answered;
using test::delayed;
using test::hit;
using test::miss;
using test::Trace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Row = std::vector<std::string>;

class Figures : public ::testing::Test {
 protected:
  // Of a trace, with its lines and the patterns given.
  void draw(const Trace& trace, const std::vector<Pattern>& patterns = {}) {
    passes_ = std::make_unique<test::Passes>(trace, options_);
    for (const auto& range : code_)
      passes_->space.add_code(range);
    for (const auto& range : data_)
      passes_->space.add_data(range);
    const ContentionNames names(options_, passes_->space, passes_->windows, passes_->functions);
    std::vector<Line> lines;
    for (const HotBlock& block : passes_->windows.hot) {
      for (const Line& line : lines_of(block, 64))
        lines.push_back(line);
    }
    figures_.clear();
    add_contention_figures({options_, passes_->scan, passes_->windows, names, patterns, lines}, figures_);
  }
  template <class Body>
  const Body& body(const std::string& title) const {
    for (const finding::Figure& f : figures_) {
      if (f.title == title)
        return std::get<Body>(f.body);
    }
    static const Body none;
    ADD_FAILURE() << "no figure " << title;
    return none;
  }
  const std::vector<Row>& rows(const std::string& title) const {
    const TableFigure& table = body<TableFigure>(title);
    for (const Row& row : table.rows)
      EXPECT_EQ(row.size(), table.columns.size()) << title;
    return table.rows;
  }
  bool drawn(const std::string& title) const {
    return std::ranges::any_of(figures_, [&](const finding::Figure& f) {
      return f.title == title;
    });
  }

  ContentionOptions options_;
  std::vector<program::NamedRange> code_;
  std::vector<program::NamedRange> data_;
  std::unique_ptr<test::Passes> passes_;
  std::vector<finding::Figure> figures_;
};

TEST_F(Figures, PatternsAreOneRowEach) {
  Pattern p;
  p.items = {0};
  p.cpus.add(3);
  p.cpus.add(4);
  p.share = 0.25;
  p.lift = 2.5;
  p.p = 0.001;
  p.excess = 77;
  p.explained = 66;
  draw({delayed(10, 0, 0x4000, 30, 20, 1), hit(20, 1, 0x4000)}, {p});
  EXPECT_THAT(
      rows("Patterns"),
      ElementsAre(ElementsAre("code at 0x1000", "3-4", "25 %", "2.5", "0.001", "77", "66")));
}

// One window: the waiting function runs in it, the other one too. One control of the calm time.
TEST_F(Figures, FunctionsStandBesideTheirBaseRate) {
  options_.window = 20;
  options_.threshold = 25;
  Trace trace;
  for (uint64_t c = 0; c < 40; ++c) {
    trace.push_back(hit(c, 1, 0x9000));
    trace.back().pc = 0x5000;
  }
  trace.push_back(delayed(20, 0, 0x4000, 30, 20, 1));
  test::sort(trace);
  draw(trace);
  const auto& table = rows("Functions and their base rate");
  ASSERT_THAT(table, SizeIs(2));
  // Costliest first: the function that waits in the window is charged with its 20 cycles.
  EXPECT_EQ(table[0][0], "code at 0x1000");
  EXPECT_EQ(table[0][1], "100 %");
  EXPECT_EQ(table[0][4], "100 %");
  EXPECT_EQ(table[0][7], "20");
  EXPECT_EQ(table[1][0], "code at 0x5000");
  EXPECT_EQ(table[1][1], "100 %");
  EXPECT_EQ(table[1][2], "100 %");
  EXPECT_EQ(table[1][3], "1");
  EXPECT_EQ(table[1][4], "0 %");
  EXPECT_EQ(table[1][7], "0");
}

TEST_F(Figures, LinesTellWhoTouchesWhichBytes) {
  Trace trace = {delayed(10, 0, 0x4000, 30, 20, 1), delayed(20, 1, 0x4008, 40, 30, 0), hit(30, 1, 0x4000)};
  trace[1].node = 1;
  trace[1].type = memory::AccessType::Atomic;
  data_ = {{0, 0x4000, 0x4008, "hits", ""}};
  draw(trace);
  EXPECT_THAT(
      rows("Hottest lines"),
      ElementsAre(
          Row{"line 0x4000 (hits)",
              "true sharing",
              "20",
              "+0",
              "4",
              "",
              "0",
              "",
              "0",
              "1",
              "0",
              "1",
              "0",
              "hits",
              "code at 0x1000 0x1000"},
          Row{"line 0x4000 (hits)",
              "true sharing",
              "0",
              "+0",
              "4",
              "",
              "1",
              "",
              "1",
              "0",
              "0",
              "0",
              "0",
              "hits",
              "code at 0x1000 0x1000"},
          Row{"line 0x4000 (hits)",
              "true sharing",
              "30",
              "+8",
              "4",
              "",
              "1",
              "1",
              "0",
              "1",
              "1",
              "1",
              "0",
              "0x4008",
              "code at 0x1000 0x1000"}));
}

TEST_F(Figures, ThreadsAreNamedWhereTheyAreKnown) {
  draw({answered(10, 0, 0x4000, Service::L1, 4), answered(20, 1, 0x4000, Service::RemotePeer, 90)});
  const auto& table = rows("Hottest lines");
  ASSERT_THAT(table, SizeIs(2));
  EXPECT_EQ(table[0][5], "100");
  EXPECT_EQ(table[1][5], "101");
  EXPECT_EQ(table[1][11], "1");
  EXPECT_EQ(table[1][12], "1");
}

TEST_F(Figures, SixteenLinesAreShown) {
  Trace trace;
  for (uint64_t i = 0; i < 20; ++i)
    trace.push_back(delayed(10 * i, uint16_t(i % 2), 0x4000 + 128 * i, 30, 20, uint16_t(1 - i % 2)));
  draw(trace);
  EXPECT_THAT(rows("Hottest lines"), SizeIs(16));
}

TEST_F(Figures, LevelsAreThoseThatAnswered) {
  Trace trace;
  for (uint32_t i = 1; i <= 10; ++i)
    trace.push_back(answered(10 * i, 0, 0x4000, Service::L3, 10 * i));
  trace.push_back(answered(200, 1, 0x4000, Service::LocalMemory, 300));
  draw(trace);
  EXPECT_THAT(
      rows("Levels"),
      ElementsAre(Row{"L3", "10", "10", "50", "90"}, Row{"memory", "1", "300", "300", "300"}));
  draw({delayed(10, 0, 0x4000, 30, 20, 1)});
  EXPECT_FALSE(drawn("Levels"));
}

TEST_F(Figures, VariablesAreSummedByNameAndSite) {
  data_ = {
      {0, 0x4000, 0x4100, "grid", ""},
      {0, 0x8000, 0x8040, "block", "a.c:1"},
      {0, 0x9000, 0x9040, "block", "a.c:1"}};
  draw(
      {delayed(10, 0, 0x4000, 30, 20, 1),
       delayed(20, 1, 0x4080, 30, 20, 0),
       delayed(30, 0, 0x8000, 30, 15, 1),
       delayed(40, 0, 0x9000, 30, 15, 1),
       delayed(50, 0, 0xf000, 30, 5, 1)});
  EXPECT_THAT(
      rows("Variables"),
      ElementsAre(Row{"grid", "40", "2"}, Row{"block from a.c:1", "30", "2"}, Row{"(no name)", "5", "1"}));
  data_.clear();
  draw({delayed(10, 0, 0x4000, 30, 20, 1)});
  EXPECT_FALSE(drawn("Variables"));  // addresses alone tell nothing
}

TEST_F(Figures, SampledLatencyHasItsTables) {
  draw({answered(10, 0, 0x4000, Service::L1, 10), answered(20, 1, 0x8000, Service::L3, 30)});
  EXPECT_THAT(rows("Sampled latency by code"), ElementsAre(Row{"code at 0x1000", "40", "100 %", "2"}));
  EXPECT_THAT(
      rows("Sampled latency by variable"),
      ElementsAre(Row{"0x8000", "30", "75 %", "1"}, Row{"0x4000", "10", "25 %", "1"}));
  draw({delayed(10, 0, 0x4000, 30, 20, 1)});
  EXPECT_FALSE(drawn("Sampled latency by code"));
}

TEST_F(Figures, FortyVariablesAreShown) {
  Trace trace;
  for (uint64_t i = 0; i < 45; ++i) {
    data_.push_back({0, 0x4000 + 128 * i, 0x4080 + 128 * i, "v" + std::to_string(i), ""});
    trace.push_back(answered(10 * i, 0, 0x4000 + 128 * i, Service::L1, 4));
    trace.push_back(answered(10 * i + 1, 1, 0x4000 + 128 * i, Service::L3, 40));
  }
  draw(trace);
  EXPECT_THAT(rows("Variables"), SizeIs(40));
  EXPECT_THAT(rows("Sampled latency by variable"), SizeIs(40));
}

TEST_F(Figures, BlameIsSharedOutByFunction) {
  Trace trace = {delayed(10, 0, 0x4000, 31, 30, 1), delayed(20, 1, 0x4000, 11, 10, 0)};
  trace[1].pc = 0x3000;
  draw(trace);
  EXPECT_THAT(
      rows("Who delays whom"),
      ElementsAre(
          Row{"code at 0x1000", "code at 0x2000", "30", "75 %"},
          Row{"code at 0x3000", "code at 0x2000", "10", "25 %"}));
}

TEST_F(Figures, TheMatrixHasVictimsInRows) {
  draw({delayed(10, 2, 0x4000, 31, 30, 5), delayed(20, 5, 0x4000, 11, 10, 2), hit(30, 7, 0x9000)});
  const auto& map = body<HeatMapFigure>("Who waits for whom");
  EXPECT_THAT(map.rows, ElementsAre("CPU 2", "CPU 5", "CPU 7"));
  EXPECT_THAT(map.columns, ElementsAre(2, 5, 7));
  EXPECT_THAT(map.values, ElementsAre(0, 30, 0, 10, 0, 0, 0, 0, 0));
  draw({miss(10, 0, 0x4000, 30), miss(20, 1, 0x4000, 40)});
  EXPECT_FALSE(drawn("Who waits for whom"));
}

TEST_F(Figures, TheMatrixShowsOneHundredAndTwentyEightCpus) {
  Trace trace = {delayed(0, 0, 0x4000, 30, 20, 1)};
  for (uint16_t cpu = 1; cpu < 130; ++cpu)
    trace.push_back(hit(cpu, cpu, 0x9000));
  draw(trace);
  const auto& map = body<HeatMapFigure>("Who waits for whom");
  EXPECT_THAT(map.rows, SizeIs(128));
  EXPECT_THAT(map.values, SizeIs(128 * 128));
}

// 200 bins over 2,000 cycles, ten each; a window counts where its seed lies.
TEST_F(Figures, ContentionIsDrawnOverTime) {
  options_.window = 10;
  options_.threshold = 5;
  draw(
      {hit(100, 0, 0x9000),
       delayed(105, 0, 0x4000, 30, 20, 1),
       delayed(1000, 0, 0x4000, 30, 7, 1),
       delayed(2099, 1, 0x4000, 30, 9, 0)});
  const auto& series = body<SeriesFigure>("Contention over time");
  ASSERT_THAT(series.lines, SizeIs(1));
  const auto& line = series.lines[0];
  ASSERT_THAT(line.x, SizeIs(200));
  EXPECT_DOUBLE_EQ(line.x[0], 105);
  EXPECT_DOUBLE_EQ(line.x[199], 2095);
  EXPECT_EQ(line.y[0], 20);
  EXPECT_EQ(line.y[90], 7);
  EXPECT_EQ(line.y[199], 9);
  double all = 0;
  for (const double y : line.y)
    all += y;
  EXPECT_EQ(all, 36);
}

TEST_F(Figures, InstructionsAreCountedOnceAWindow) {
  options_.window = 10;
  options_.threshold = 5;
  Trace trace = {
      delayed(100, 0, 0x4000, 30, 20, 1),
      delayed(101, 0, 0x4000, 30, 20, 1),
      delayed(200, 0, 0x4000, 30, 20, 1)};
  trace[2].pc = 0x800;
  trace.push_back(hit(201, 1, 0x9000));
  draw(trace);
  const auto& line = body<SeriesFigure>("Frequency by instruction").lines.at(0);
  EXPECT_THAT(line.x, ElementsAre(0x800, 0x1000));
  EXPECT_THAT(line.y, ElementsAre(1, 2));
}

TEST_F(Figures, WindowsAreSpansAroundTheirSeed) {
  options_.window = 10;
  options_.threshold = 5;
  draw({delayed(100, 0, 0x4000, 30, 20, 1), miss(200, 0, 0x8000, 50)});
  const auto& timeline = body<TimelineFigure>("Contention windows");
  ASSERT_THAT(timeline.spans, SizeIs(2));
  EXPECT_EQ(timeline.spans[0].begin, 95);
  EXPECT_EQ(timeline.spans[0].end, 105);
  EXPECT_EQ(timeline.spans[0].label, "20 cycles lost");
  EXPECT_TRUE(timeline.spans[0].blamed);
  EXPECT_FALSE(timeline.spans[1].blamed);
}

TEST_F(Figures, AnEmptyTraceHasEmptyTables) {
  draw({});
  EXPECT_THAT(rows("Patterns"), IsEmpty());
  EXPECT_THAT(rows("Hottest lines"), IsEmpty());
  EXPECT_THAT(rows("Who delays whom"), IsEmpty());
  EXPECT_THAT(body<TimelineFigure>("Contention windows").spans, IsEmpty());
}

}  // namespace
}  // namespace lento::memory
