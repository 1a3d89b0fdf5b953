// Builds the nodes and edges of each level from the routes of a program's messages and DRAM transfers.
#include "chip/paper/paper_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace lento::chip {
namespace {

// Numbers the segments as levels from 0, in the order in which they run.
std::map<int, int> levels_of(const Program& program) {
  std::set<int> segments;
  for (const Program::Layer& layer : program.layers)
    segments.insert(layer.segment);
  std::map<int, int> out;
  for (const int s : segments)
    out.emplace(s, int(out.size()));
  return out;
}

class Builder {
 public:
  Builder(const Program& program, const Grid& grid)
      : program_(program),
        levels_(levels_of(program)) {
    out_.levels = int(levels_.size());
    for (int level = 0; level <= out_.levels; ++level)
      out_.nodes.push_back({level, -1});
    for (int core = 0; core < grid.core_count(); ++core)
      walk(core);
    for (const auto& [key, bytes] : links_) {
      const auto [level, link] = key;
      add_edge({level, link}, node(level, grid.link(link).from), node(level, grid.link(link).to), bytes);
    }
    for (const auto& [key, bytes] : reads_) {
      const auto [level, core] = key;
      add_edge({level, -1}, out_.dram(level), node(level, core), bytes);
    }
    for (const auto& [key, bytes] : writes_) {
      const auto [level, core] = key;
      add_edge({level, -1}, node(level, core), out_.dram(level + 1), bytes);
    }
    out_.rank.start.assign(out_.nodes.size(), 0);
  }
  CommunicationGraph take() {
    return std::move(out_);
  }

 private:
  using Key = std::pair<int, int>;  // level, and core or link

  // Adds the instructions of one core to the graph.
  void walk(int core) {
    const auto c = size_t(core);
    if (c + 1 >= program_.first_section.size())
      return;
    for (uint32_t s = program_.first_section[c]; s < program_.first_section[c + 1]; ++s) {
      const Program::Section& section = program_.sections[s];
      for (uint32_t i = section.begin; i < section.end; ++i)
        add(core, program_.instructions[i], section);
    }
  }

  // Adds the bytes of one instruction to the links of its route and, for a read or write, to its DRAM edge.
  void add(int core, const Instruction& in, const Program::Section& section) {
    const int level = levels_.at(program_.layers[in.layer].segment);
    const double bytes = double(in.amount) * section.repeats;
    const auto c = size_t(core);
    node(level, core);
    switch (in.action) {
      case Action::Send:
        return add_route(level, program_.channels[in.target].route, bytes);
      case Action::Read:
        reads_[{level, core}] += bytes;
        return add_route(level, program_.from_port[c], bytes);
      case Action::Write:
        writes_[{level, core}] += bytes;
        return add_route(level, program_.to_port[c], bytes);
      default:
        return;
    }
  }

  void add_route(int level, uint32_t route, double bytes) {
    const Program::Route& r = program_.routes[route];
    for (uint32_t h = r.begin; h < r.end; ++h)
      links_[{level, program_.hops[h].link}] += bytes;
  }

  // Returns the node of a core in a level. Cores that only forward traffic are nodes too.
  size_t node(int level, int core) {
    const auto [at, added] = known_.emplace(Key{level, core}, out_.nodes.size());
    if (added)
      out_.nodes.push_back({level, core});
    return at->second;
  }

  void add_edge(const CommunicationGraph::Edge& edge, size_t from, size_t to, double bytes) {
    out_.edges.push_back(edge);
    out_.rank.edges.push_back({from, to, bytes, 0});
  }

  const Program& program_;
  std::map<int, int> levels_;
  std::map<Key, size_t> known_;
  std::map<Key, double> links_;
  std::map<Key, double> reads_;
  std::map<Key, double> writes_;
  CommunicationGraph out_;
};

}  // namespace

int CommunicationGraph::node(int level, int core) const {
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].level == level && nodes[n].core == core)
      return int(n);
  return -1;
}

CommunicationGraph communication_graph(const Program& program, const Grid& grid) {
  return Builder(program, grid).take();
}

int level_of_layer(const Program& program, int layer_id) {
  const std::map<int, int> levels = levels_of(program);
  for (const Program::Layer& layer : program.layers)
    if (layer.id == layer_id)
      return levels.at(layer.segment);
  return -1;
}

}  // namespace lento::chip
