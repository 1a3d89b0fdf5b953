// Draws fault cases by seed, component, time and shape, or reads them from a folder of fault files.
#include "lab/chip/data_set.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/rng.h"

namespace lento::chip {
namespace {

using base::Rng;

namespace fs = std::filesystem;

// Kinds of components that a case slows. Links of a network and links between chips are separate kinds,
// because a chip has few of the latter.
enum class Drawn {
  Core,
  Link,
  Router,
  MemoryUnit,
  DramPort,
  ChipLink
};

// Returns the number of links inside networks. Their ids come before those of links between chips.
int network_links(const Grid& grid) {
  int count = 0;
  while (count < grid.link_count() && grid.link(count).joint < 0)
    ++count;
  return count;
}

std::string draw_component(Drawn kind, const Grid& grid, Rng& rng) {
  const int core = int(rng.below(grid.core_count()));
  const int links = network_links(grid);
  switch (kind) {
    case Drawn::Core:
      return grid.core_name(core);
    case Drawn::Router:
      return grid.router_name(grid.router_of(core));
    case Drawn::MemoryUnit:
      return grid.memory_unit_name(core);
    case Drawn::DramPort:
      return grid.port_name(int(rng.below(grid.port_count())));
    case Drawn::ChipLink:
      return grid.link_name(links + int(rng.below(grid.link_count() - links)));
    case Drawn::Link:
      break;
  }
  return grid.link_name(int(rng.below(links)));
}

std::vector<Drawn> kinds_in_order(const DataSetOptions& o, const Grid& grid, Rng& rng) {
  std::vector<Drawn> kinds;
  const int links = network_links(grid);
  const std::pair<Drawn, int> wanted[] = {
      {Drawn::Core, o.cores},
      {Drawn::Link, links > 0 ? o.links : 0},
      {Drawn::Router, o.routers},
      {Drawn::MemoryUnit, o.memory_units},
      {Drawn::DramPort, o.dram_ports},
      {Drawn::ChipLink, grid.link_count() > links ? o.chip_links : 0}};
  for (const auto& [kind, count] : wanted)
    kinds.insert(kinds.end(), std::max(0, count), kind);
  for (size_t i = kinds.size(); i > 1; --i)
    std::swap(kinds[i - 1], kinds[rng.below(i)]);
  return kinds;
}

bool same_component(const Fault& a, const Fault& b) {
  if (a.part != b.part)
    return false;
  return (a.index == b.index && a.other == b.other) ||
         (a.part == Part::Link && a.index == b.other && a.other == b.index);
}

// Returns the first number in a file name. Names without one sort last.
int64_t number_of(const std::string& name) {
  const size_t at = name.find_first_of("0123456789");
  if (at == std::string::npos)
    return INT64_MAX;
  int64_t n = 0;
  for (size_t i = at; i < name.size() && i < at + 15 && name[i] >= '0' && name[i] <= '9'; ++i)
    n = n * 10 + (name[i] - '0');
  return n;
}

struct Stretch {
  uint64_t begin;
  uint64_t length;
};

Stretch draw_stretch(const DataSetOptions& o, Rng& rng) {
  const double where = rng.uniform();
  const double how_long = rng.uniform();
  const double run = double(o.run_cycles);
  if (o.run_share > 0)
    return {
        uint64_t(where * run * std::max(0.0, 1 - o.run_share)),
        std::max<uint64_t>(1, uint64_t(o.run_share * run))};
  const double cycles = std::ceil(how_long * o.longest_s * o.clock_hz);
  return {uint64_t(where * run), std::max<uint64_t>(1, uint64_t(cycles))};
}

// Shapes the fault over the part of it that lies within the run, because it may end long after the run.
void give_shape(Fault& fault, const std::string& shape, uint64_t run_cycles) {
  const uint64_t shown = std::min(fault.end, std::max(run_cycles, fault.begin + 1)) - fault.begin;
  if (shape == "ramp")
    fault.ramp = shown;
  if (shape == "on_off")
    fault.period = std::max<uint64_t>(2, shown / 8);
  if (shape == "on_off")
    fault.on = fault.period / 2;
}

}  // namespace

std::vector<Case> draw_cases(const Grid& grid, const DataSetOptions& options) {
  Rng rng(options.seed, "chip.data_set");
  std::vector<Case> cases;
  for (const Drawn kind : kinds_in_order(options, grid, rng)) {
    const Stretch when = draw_stretch(options, rng);
    Case one{"fault" + std::to_string(cases.size() + 1), {}, cases.size() % 3 == 0};
    for (int tries = 0; int(one.faults.size()) < options.together && tries < 1000; ++tries) {
      Fault fault = component(draw_component(kind, grid, rng), grid, {"data set"});
      fault.factor = options.factor;
      fault.begin = when.begin;
      fault.end = when.begin + when.length;
      give_shape(fault, options.shape, options.run_cycles);
      const auto taken = [&](const Fault& f) {
        return same_component(f, fault);
      };
      if (std::ranges::none_of(one.faults, taken))
        one.faults.push_back(fault);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

std::vector<Case> read_cases(const std::string& folder, const spec::Chip& chip) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension();
    if (extension == ".json" || extension == ".yaml" || extension == ".yml")
      paths.push_back(entry.path());
  }
  if (error)
    throw base::Error({folder}, "the folder of fault files cannot be read: " + error.message());
  std::ranges::sort(paths, [](const fs::path& a, const fs::path& b) {
    const std::string x = a.stem();
    const std::string y = b.stem();
    return std::pair(number_of(x), x) < std::pair(number_of(y), y);
  });
  std::vector<Case> cases;
  for (const fs::path& path : paths) {
    const std::string name = path.stem();
    const int64_t n = number_of(name);
    cases.push_back(
        {name, read_faults(path, chip), (n == INT64_MAX ? int64_t(cases.size()) + 1 : n) % 3 == 1});
  }
  return cases;
}

}  // namespace lento::chip
