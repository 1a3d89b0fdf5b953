#include "jobs/chip_check.h"

#include "chip/map/identify.h"
#include "chip/map/map_file.h"
#include "jobs/inputs.h"
#include "spec/chip.h"

namespace lento::jobs {
namespace {

using chip::Grid;
using chip::Identifiability;

template <class Name>
std::vector<std::string> idle(const std::vector<uint64_t>& load, Name name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < load.size(); ++i) {
    if (load[i] == 0)
      names.push_back(name(int(i)));
  }
  return names;
}

std::string share(size_t idle, size_t all) {
  return std::to_string(all - idle) + " of " + std::to_string(all);
}

finding::MeshFigure mesh(const Grid& grid, const Identifiability& seen) {
  finding::MeshFigure figure;
  figure.width = grid.width();
  figure.height = grid.height();
  figure.value_name = "cores: operations, links: message bytes, of one inference";
  for (int core = 0; core < grid.core_count(); ++core) {
    const chip::Position p = grid.position(core);
    figure.cores.push_back({p.x, p.y, double(seen.core_operations[core]), grid.core_name(core)});
  }
  for (int l = 0; l < grid.link_count(); ++l) {
    const chip::Position a = grid.router_position(grid.link(l).from);
    const chip::Position b = grid.router_position(grid.link(l).to);
    figure.links.push_back({a.x, a.y, b.x, b.y, double(seen.message_bytes[l])});
  }
  return figure;
}

finding::Diagnosis conclude(const Grid& grid, const Identifiability& seen) {
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = "What this mapping can show";
  const auto cores = idle(seen.core_operations, [&](int i) {
    return grid.core_name(i);
  });
  const auto units = idle(seen.unit_bytes, [&](int i) {
    return grid.memory_unit_name(i);
  });
  const auto ports = idle(seen.port_bytes, [&](int i) {
    return grid.port_name(i);
  });
  const auto quiet = idle(seen.message_bytes, [&](int i) {
    return grid.link_name(i);
  });
  d.facts = {
      {"cores that compute", share(cores.size(), seen.core_operations.size())},
      {"memory units used", share(units.size(), seen.unit_bytes.size())},
      {"DRAM ports used", share(ports.size(), seen.port_bytes.size())},
      {"directed links that carry messages", share(quiet.size(), seen.message_bytes.size())},
      {"pairs of cores that exchange messages", std::to_string(seen.pairs)},
      {"rank of pairs x links",
       seen.rank < 0 ? "not computed, more than " + std::to_string(chip::kMaxRankedLinks) + " links"
                     : std::to_string(seen.rank) + " of " + std::to_string(seen.used_links)}};
  d.notes = chip::blind_spots(seen, grid);
  const size_t unseen = cores.size() + quiet.size();
  d.verdict = unseen == 0 && seen.alike.empty()
                  ? "Every core and every link is exercised, and no two links are alike."
                  : std::to_string(cores.size()) + " cores and " + std::to_string(quiet.size()) +
                        " directed links are not exercised by computing and messages; " +
                        std::to_string(seen.alike.size()) + " groups of links cannot be told apart.";
  d.figures.push_back(
      {"Load of cores and links",
       "White cores and links are out of sight for this mapping.",
       mesh(grid, seen)});
  return d;
}

}  // namespace

finding::Diagnosis chip_check(const std::string& chip, const std::string& mapping) {
  const spec::Chip machine = spec::read_chip(chip);
  const Grid grid(machine);
  finding::Diagnosis d =
      conclude(grid, chip::identify(chip::expand(chip::read_map(mapping), machine, mapping), grid));
  d.inputs = {input_of("chip", chip), input_of("mapping", mapping)};
  return d;
}

}  // namespace lento::jobs
