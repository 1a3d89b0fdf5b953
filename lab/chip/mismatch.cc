// Draws the chip of a run from its file: common differences of rates, then a factor of each core, link,
// memory unit and port.
#include "lab/chip/mismatch.h"

#include "base/rng.h"

namespace lento::chip {
namespace {

// Slower parts take 1 + u times as long, faster ones 1 / (1 + u).
std::vector<double> own_shares(int parts, double share, bool slower, base::Rng& rng) {
  std::vector<double> out(static_cast<size_t>(parts));
  for (double& factor : out) {
    const double longer = 1 + rng.uniform(0, 2 * share);
    factor = slower ? longer : 1 / longer;
  }
  return out;
}

// A link is one part: both directions share what is drawn for the one from the lower core.
std::vector<double> link_shares(const Grid& grid, double share, bool slower, base::Rng& rng) {
  std::vector<double> out = own_shares(grid.link_count(), share, slower, rng);
  for (int id = 0; id < grid.link_count(); ++id) {
    const Grid::Link& link = grid.link(id);
    const int back = grid.find_link(link.to, link.from);
    if (back >= 0 && link.from > link.to)
      out[size_t(id)] = out[size_t(back)];
  }
  return out;
}

}  // namespace

Twin drawn(const Mismatch& m, const spec::Chip& file, uint64_t run) {
  base::Rng rng(run, "chip.mismatch");
  const bool slower = rng.uniform() < 0.5;
  const double sign = slower ? -1 : 1;
  Twin twin{file, {}};
  twin.chip.network.link_bytes_per_cycle *= 1 + sign * m.links;
  twin.chip.dram.port_bytes_per_cycle *= 1 + sign * m.dram;
  twin.chip.memory_unit.bytes_per_cycle *= 1 + sign * m.memory_units;
  twin.chip.core.ops_per_cycle *= 1 + sign * m.cores;
  twin.chip.network.buffer_segments *= m.buffers;
  if (m.noise_of_links >= 0)
    twin.chip.network.transit_cv = m.noise_of_links;
  if (m.noise_of_cores >= 0)
    twin.chip.core.rate_deviation = m.noise_of_cores;
  if (m.parts <= 0)
    return twin;
  const Grid grid(file);
  twin.own.cores = own_shares(grid.core_count(), m.parts, slower, rng);
  twin.own.memory_units = own_shares(grid.core_count(), m.parts, slower, rng);
  twin.own.ports = own_shares(grid.port_count(), m.parts, slower, rng);
  twin.own.links = link_shares(grid, m.parts, slower, rng);
  return twin;
}

}  // namespace lento::chip
