// Tables of logic, memory and network generations, and the scaling of a design point to them (technology.h
// states the rules and sources).
#include "predict/search/technology.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lento::predict {
namespace {

constexpr double kAreaStep = 1.8;
constexpr double kPowerStep = 1.3;

}  // namespace

const std::vector<Generation>& logic_nodes() {
  static const std::vector<Generation>
      kNodes{{"N12", 0}, {"N7", 1}, {"N5", 2}, {"N3", 3}, {"N2", 4}, {"N1.4", 5}, {"N1", 6}};
  return kNodes;
}

const std::vector<Generation>& memory_generations() {
  static const std::vector<Generation> kMemories{
      {"HBM2", 1e12},
      {"HBM2e", 2e12},
      {"HBM3", 2.6e12},
      {"HBM4", 3.3e12}};
  return kMemories;
}

const std::vector<Generation>& network_generations() {
  static const std::vector<Generation> kNetworks{{"NDR-x8", 100e9}, {"XDR-x8", 200e9}, {"GDR-x8", 400e9}};
  return kNetworks;
}

const Generation& generation(const std::vector<Generation>& known, const std::string& name) {
  std::vector<std::string> names;
  for (const Generation& g : known) {
    if (g.name == name)
      return g;
    names.push_back(g.name);
  }
  throw base::Error({}, "technology '" + name + "' is not known", base::suggestion(name, names));
}

// Scales areas, powers, rates and energies of a design to the given generations (rules in technology.h).
CrossFlowConfig with_technology(
    CrossFlowConfig c,
    const Generation& logic,
    const Generation& memory,
    const Generation& network) {
  const double area = std::pow(kAreaStep, logic.value);
  const double power = std::pow(kPowerStep, logic.value);
  c.core.area_per_mcu /= area;
  c.core.operating_area_per_mcu /= area;
  c.core.power_per_mcu /= power;
  for (SramTechnology& s : c.sram) {
    s.area_per_bit /= area;
    s.controller_area_per_link /= area;
    s.energy_per_bit /= power;
    s.static_power_per_bit /= power;
  }
  const double faster_memory = memory.value / memory_generations().front().value;
  c.dram.frequency *= faster_memory;
  c.dram.energy_per_bit /= faster_memory;
  const double faster_network = network.value / network_generations().front().value;
  c.inter.frequency *= faster_network;
  c.inter.energy_per_link /= faster_network;
  return c;
}

}  // namespace lento::predict
