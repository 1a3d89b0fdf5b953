// Converts a sheet's classes of cores and clocks of chips into factors of single parts, relative to the
// numbers that the sheet gives for all.
#include "chip/map/file/declared.h"

#include <algorithm>

#include "chip/map/grid.h"

namespace lento::chip {
namespace {

// Returns how many times slower a chip's clock is than the sheet's common clock. 1 when the sheet gives
// none.
double clock_times(const spec::FabricSheet& sheet, int chip) {
  if (sheet.clocks_hz.empty())
    return 1;
  return sheet.clock_hz / sheet.clocks_hz[size_t(chip)];
}

double rate_times(const spec::FabricSheet& sheet, Position at) {
  if (sheet.core_rates.empty())
    return 1;
  return sheet.core.ops_per_cycle / sheet.core_rates[size_t(sheet.tile(at.x % sheet.width, at.y))];
}

std::vector<double> product(const std::vector<double>& one, const std::vector<double>& two) {
  std::vector<double> out(std::max(one.size(), two.size()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = Deviations::of(one, i) * Deviations::of(two, i);
  return out;
}

}  // namespace

Deviations declared_parts(const spec::FabricSheet& sheet, const spec::Chip& chip) {
  Deviations out;
  if (sheet.clocks_hz.empty() && sheet.core_rates.empty())
    return out;
  const Grid grid(chip);
  for (int core = 0; core < grid.core_count(); ++core) {
    const Position at = grid.position(core);
    const double clock = clock_times(sheet, at.x / sheet.width);
    out.cores.push_back(clock * rate_times(sheet, at));
    out.memory_units.push_back(clock);
  }
  for (int port = 0; port < grid.port_count(); ++port)
    out.ports.push_back(clock_times(sheet, grid.port_position(port).x / sheet.width));
  for (int id = 0; id < grid.link_count(); ++id) {
    const Grid::Link& link = grid.link(id);
    const bool joins_chips = link.joint >= 0;
    out.links.push_back(
        joins_chips ? 1 : clock_times(sheet, grid.router_position(link.from).x / sheet.width));
  }
  return out;
}

Deviations combined(const Deviations& one, const Deviations& two) {
  return {
      product(one.cores, two.cores),
      product(one.links, two.links),
      product(one.memory_units, two.memory_units),
      product(one.ports, two.ports)};
}

}  // namespace lento::chip
