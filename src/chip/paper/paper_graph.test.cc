// The communication graph against the program that it was made from.
#include "chip/paper/paper_graph.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "chip/map/file/map_file.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

class Graph : public testing::Test {
 protected:
  const spec::Chip chip_ = spec::read_chip("examples/chip/4x4.yaml");
  const Grid grid_{chip_};
  const Program program_ = expand(read_map("examples/chip/tiny.map.json"), chip_, "tiny");
  const CommunicationGraph graph_ = communication_graph(program_, grid_);
};

TEST_F(Graph, DramEdgesCarryWhatIsReadAndWritten) {
  double dram = 0;
  for (size_t e = 0; e < graph_.edges.size(); ++e) {
    const RankGraph::Edge& edge = graph_.rank.edges[e];
    EXPECT_GT(edge.traffic, 0);
    EXPECT_EQ(edge.start, 0);
    if (graph_.edges[e].link >= 0)
      continue;
    dram += edge.traffic;
    // Down from the node above the level, or down to the one below it.
    const int level = graph_.edges[e].level;
    const bool read = edge.from == graph_.dram(level);
    const bool write = edge.to == graph_.dram(level + 1);
    EXPECT_NE(read, write);
    EXPECT_EQ(graph_.nodes[read ? edge.to : edge.from].level, level);
  }
  EXPECT_DOUBLE_EQ(dram, double(program_.totals().dram_bytes));
}

TEST_F(Graph, LinksCarryTheBytesOfEachRoute) {
  // Bytes by link, walked channel by channel and port by port here.
  std::map<int, double> expected;
  const auto walk = [&](uint32_t route, double bytes) {
    for (uint32_t h = program_.routes[route].begin; h < program_.routes[route].end; ++h)
      expected[program_.hops[h].link] += bytes;
  };
  for (size_t core = 0; core + 1 < program_.first_section.size(); ++core) {
    for (uint32_t s = program_.first_section[core]; s < program_.first_section[core + 1]; ++s) {
      const Program::Section& section = program_.sections[s];
      for (uint32_t i = section.begin; i < section.end; ++i) {
        const Instruction& in = program_.instructions[i];
        const double bytes = double(in.amount) * section.repeats;
        if (in.action == Action::Send)
          walk(program_.channels[in.target].route, bytes);
        else if (in.action == Action::Read)
          walk(program_.from_port[core], bytes);
        else if (in.action == Action::Write)
          walk(program_.to_port[core], bytes);
      }
    }
  }
  std::map<int, double> found;
  for (size_t e = 0; e < graph_.edges.size(); ++e) {
    const int link = graph_.edges[e].link;
    if (link < 0)
      continue;
    found[link] += graph_.rank.edges[e].traffic;
    EXPECT_EQ(graph_.nodes[graph_.rank.edges[e].from].core, grid_.link(link).from);
    EXPECT_EQ(graph_.nodes[graph_.rank.edges[e].to].core, grid_.link(link).to);
  }
  EXPECT_FALSE(found.empty());
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [link, bytes] : expected)
    EXPECT_DOUBLE_EQ(found[link], bytes) << grid_.link_name(link);
}

TEST_F(Graph, NodesAreFoundByLevelAndCore) {
  std::set<std::pair<int, int>> seen;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const CommunicationGraph::Node& node = graph_.nodes[n];
    EXPECT_TRUE(seen.emplace(node.level, node.core).second);
    EXPECT_EQ(graph_.node(node.level, node.core), int(n));
  }
  for (int level = 0; level <= graph_.levels; ++level)
    EXPECT_EQ(graph_.nodes[graph_.dram(level)].core, -1);
  EXPECT_EQ(graph_.node(graph_.levels, 0), -1);
  EXPECT_EQ(graph_.rank.start.size(), graph_.nodes.size());
}

TEST_F(Graph, ALayerIsOnTheLevelOfItsSegment) {
  std::set<int> levels;
  for (const Program::Layer& layer : program_.layers)
    levels.insert(level_of_layer(program_, layer.id));
  EXPECT_EQ(int(levels.size()), graph_.levels);
  EXPECT_EQ(*levels.begin(), 0);
  EXPECT_EQ(*levels.rbegin(), graph_.levels - 1);
  EXPECT_EQ(level_of_layer(program_, 1'000'000), -1);
}

TEST(FailRank, ScoresStayWithinTheirBoundOnTheProgramsGraph) {
  const spec::Chip chip = spec::read_chip("examples/chip/4x4.yaml");
  const Program program = expand(read_map("examples/chip/tiny.map.json"), chip, "tiny");
  CommunicationGraph graph = communication_graph(program, Grid(chip));
  for (size_t n = 0; n < graph.nodes.size(); n += 3) {
    graph.rank.start.assign(graph.nodes.size(), 0);
    graph.rank.start[n] = 1;
    for (const Direction d : {Direction::Printed, Direction::Reversed, Direction::Symmetric}) {
      RankOptions o;
      o.direction = d;
      const RankResult r = fail_rank(graph.rank, o);
      double sum = 0;
      for (const double s : r.nodes) {
        EXPECT_GE(s, 0);
        sum += s;
      }
      EXPECT_LE(sum, 1 + 1e-9);
      EXPECT_GE(r.nodes[n], (1 - o.lambda) * (1 - 1e-9));
      for (size_t k = 1; k < r.errors.size(); ++k)
        EXPECT_LE(r.errors[k], o.lambda * r.errors[k - 1] + 1e-12);
    }
  }
}

}  // namespace
}  // namespace lento::chip
