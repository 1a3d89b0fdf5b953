// Computes the components that a mapping exercises, and groups those that no record distinguishes, over an
// inference or over the intervals of given faults.
#include "chip/check.h"

#include <set>

#include "chip/detect/alike.h"
#include "chip/detect/scan.h"
#include "chip/map/file/map_file.h"
#include "chip/map/identify.h"
#include "chip/sim/simulate.h"
#include "finding/inputs.h"
#include "spec/chip.h"

namespace lento::chip {
namespace {

using finding::Diagnosis;

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
    const Position p = grid.position(core);
    figure.cores.push_back({p.x, p.y, double(seen.core_operations[core]), grid.core_name(core)});
  }
  for (int l = 0; l < grid.link_count(); ++l) {
    const Position a = grid.router_position(grid.link(l).from);
    const Position b = grid.router_position(grid.link(l).to);
    figure.links.push_back({a.x, a.y, b.x, b.y, double(seen.message_bytes[l])});
  }
  return figure;
}

Diagnosis conclude(const Grid& grid, const Identifiability& seen) {
  Diagnosis d;
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
       seen.rank < 0 ? "not computed, more than " + std::to_string(kMaxRankedLinks) + " links"
                     : std::to_string(seen.rank) + " of " + std::to_string(seen.used_links)}};
  d.notes = blind_spots(seen, grid);
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

std::set<Flow> planned_flows(const Program& program, const Grid& grid) {
  std::set<Flow> out;
  for_each_record(program, grid, [&](size_t core, const ProbeRecord& r, uint64_t) {
    if (r.kind != ProbeKind::Compute)
      out.insert({r.kind, int(core), r.peer});
  });
  return out;
}

finding::Figure class_table(const Program& program, const spec::Chip& chip, const Grid& grid) {
  finding::TableFigure table;
  table.columns = {"components", "how many"};
  const auto all = all_components(grid);
  for (const auto& one : classes(planned_flows(program, grid), all, chip, grid))
    table.rows.push_back({name_of(one, grid), std::to_string(one.size())});
  return {
      "Classes",
      "Components that the same transfers of a whole run pass: one is as good a suspect as another.",
      table};
}

class Windows : public RecordSink {
 public:
  explicit Windows(const std::vector<Fault>& faults) {
    for (const Fault& f : faults)
      windows.push_back({f.begin, f.end});
  }
  Outcome record(const ProbeRecord& r) override {
    for (FlowWindow& window : windows)
      window.see(r);
    return {};
  }
  std::vector<FlowWindow> windows;
};

finding::Figure fault_classes(
    const Program& program,
    const spec::Chip& chip,
    const Grid& grid,
    const ChipCheckOptions& options) {
  const std::vector<Fault> faults = read_faults(options.faults, chip);
  require_present(faults, options.faults);
  Options run;
  run.inferences = options.inferences;
  run.seed = options.seed;
  Windows seen(faults);
  simulate(Model(chip, program), faults, run, &seen);
  finding::TableFigure table;
  table.columns = {"fault", "class", "how many"};
  const auto all = all_components(grid);
  for (size_t i = 0; i < faults.size(); ++i) {
    const auto one = alike(component_of(faults[i]), seen.windows[i].flows, all, chip, grid);
    table.rows.push_back({faults[i].name, name_of(one, grid), std::to_string(one.size())});
  }
  return {
      "Classes",
      "Components that the same transfers pass in the time of each fault, itself included.",
      table};
}

// Copies the classes into facts, because the text form of an answer shows facts and no tables.
void add_classes(Diagnosis& d, finding::Figure figure, bool of_faults) {
  const auto& table = std::get<finding::TableFigure>(figure.body);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<std::string>& row = table.rows[i];
    d.facts.emplace_back(
        of_faults ? "class of " + row[0] : "class " + std::to_string(i + 1),
        row[of_faults ? 1 : 0]);
  }
  d.figures.push_back(std::move(figure));
}

}  // namespace

Diagnosis chip_check(const ChipCheckOptions& options) {
  const spec::Chip machine = spec::read_chip(options.chip);
  const Grid grid(machine);
  const Program program = expand(read_map(options.mapping), machine, options.mapping);
  Diagnosis d = conclude(grid, identify(program, grid));
  if (!options.faults.empty())
    add_classes(d, fault_classes(program, machine, grid, options), true);
  else if (options.classes)
    add_classes(d, class_table(program, machine, grid), false);
  d.inputs = {finding::input_of("chip", options.chip), finding::input_of("mapping", options.mapping)};
  if (!options.faults.empty()) {
    d.inputs.push_back(finding::input_of("faults", options.faults));
    d.seed = options.seed;
  }
  return d;
}

}  // namespace lento::chip
