// Faults that each published method must be able to name by its own principle, and a graph with known
// traffic.
#include "lab/chip/methods.h"

#include <gtest/gtest.h>

#include <numeric>

#include "chip/detect/method.h"
#include "chip/map/binary_tree.h"
#include "chip/paper/paper.h"
#include "lab/chip/trial.h"

namespace lento::chip {
namespace {

class Methods : public testing::Test {
 protected:
  static PreparedWorkload make() {
    TrialOptions options;
    options.inferences = 4;
    options.sketch.bin_cycles = 1 << 12;
    BinaryTree tree;
    tree.size = 64;
    const spec::Chip chip;
    return PreparedWorkload("tree", chip, map_binary_tree(tree, chip), options);
  }
  static MethodResult run(
      const PreparedWorkload& bench,
      const std::string& method,
      const std::vector<Fault>& faults,
      uint64_t seed = 3) {
    DetectOptions options;
    options.replay = [&](const std::vector<Fault>& guess, uint32_t draw) {
      return bench.record(guess, 99 + draw);
    };
    const Sketch sketch = bench.record(faults, seed);
    return judge(
        parse_method(method, all_methods(), {"test"}),
        sketch,
        bench.model().chip,
        bench.model().program,
        options);
  }
  static Fault slow(const PreparedWorkload& bench, const Component& c) {
    Result result;
    bench.record({}, 1, &result);
    Fault f = fault_of(c, bench.model().grid);
    f.factor = 10;
    f.begin = result.cycles / 3;
    f.end = result.cycles;
    return f;
  }
  static bool names(const MethodResult& r, const Component& c) {
    for (const Suspect& s : r.detection.reported)
      if (s.component == c)
        return true;
    return false;
  }
};

TEST_F(Methods, EachNamesASlowCore) {
  const PreparedWorkload bench = make();
  const Component core{Part::Core, 5, -1};
  for (const char* method : {"paper", "threshold", "microscope", "iaso", "perseus", "adr", "lento"})
    EXPECT_TRUE(names(run(bench, method, {slow(bench, core)}), core)) << method;
}

TEST_F(Methods, ThoseThatKnowLinksCanNameASlowOne) {
  const PreparedWorkload bench = make();
  const Component link{Part::Link, 5, 6};
  ASSERT_GE(bench.hits({slow(bench, link)})[0], kFewHits);
  for (const char* method :
       {"paper:restart=1,direction=1,link_candidate=0.9,link_temperature=60", "threshold:link=2"}) {
    const MethodResult r = run(bench, method, {slow(bench, link)});
    ASSERT_FALSE(r.detection.ranked.empty()) << method;
    EXPECT_TRUE(names(r, link)) << method << " named "
                                << name_of(r.detection.ranked[0].component, bench.model().grid);
  }
}

TEST_F(Methods, IterationsStayWithinTheBound) {
  const PreparedWorkload bench = make();
  const MethodResult r = run(bench, "paper", {slow(bench, {Part::Core, 5, -1})});
  EXPECT_LE(r.numbers.at("failrank_iterations"), 20);
  EXPECT_EQ(r.figures.size(), 2u);
}

TEST_F(Methods, GraphHoldsTheTrafficOfTheProgram) {
  const PreparedWorkload bench = make();
  const CommunicationGraph g = communication_graph(bench.model().program, bench.model().grid);
  const Program::Totals totals = bench.model().program.totals();
  double dram = 0;
  for (size_t e = 0; e < g.edges.size(); ++e)
    if (g.edges[e].link < 0)
      dram += g.rank.edges[e].traffic;
  EXPECT_EQ(dram, double(totals.dram_bytes));
  EXPECT_EQ(g.levels, 1);
  EXPECT_EQ(g.nodes[g.dram(0)].core, -1);
  EXPECT_GE(g.node(0, 5), 0);
}

TEST(AllMethods, DefaultsLieWithinTheirRanges) {
  EXPECT_EQ(all_methods().size(), 7u);
  for (const Method& m : all_methods())
    for (const Parameter& p : m.parameters) {
      EXPECT_LE(p.least, p.value) << m.name << " " << p.name;
      EXPECT_GE(p.most, p.value) << m.name << " " << p.name;
    }
}

TEST(AllMethods, ThePapersParametersAreCheckedByName) {
  const MethodChoice c = parse_method("paper:direction=1,restart=1", all_methods(), {"here"});
  EXPECT_EQ(c.values.at("direction"), 1);
  for (const char* bad : {"papers", "paper:direction", "paper:direction=7", "paper:speed=1"})
    EXPECT_THROW(parse_method(bad, all_methods(), {"here"}), base::Error) << bad;
}

// An empty sketch says nothing, to any of them.
TEST(AllMethods, NothingRecordedNothingReported) {
  const Sketch sketch(std::vector<SketchShape>(16), SketchOptions{});
  Program program;
  program.first_section.assign(17, 0);
  for (const Method& m : all_methods()) {
    const MethodChoice choice = parse_method(std::string(m.name), all_methods(), {"here"});
    EXPECT_TRUE(judge(choice, sketch, spec::Chip{}, program, {}).detection.reported.empty()) << m.name;
  }
}

}  // namespace
}  // namespace lento::chip
