// Each change of a chip or of a recorder is a function of the numbers that the row states. What a change
// draws comes from the generator of the run.
#include "lab/chip/world_changes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"
#include "chip/map/grid.h"
#include "chip/model/other_sheets.h"

namespace lento::chip {
namespace {

using Records = std::vector<ProbeRecord>;
using ChangeChip = std::function<void(Twin&, Program&, base::Rng&)>;
using ChangeRecords = std::function<void(Records&, base::Rng&)>;

// ---- changes of the records

ChangeRecords warped(std::function<double(double t, double end)> clock) {
  return [clock = std::move(clock)](Records& records, base::Rng&) {
    double end = 1;
    for (const ProbeRecord& r : records)
      end = std::max(end, double(r.end));
    for (ProbeRecord& r : records) {
      r.begin = uint64_t(std::llround(clock(double(r.begin), end)));
      r.end = uint64_t(std::llround(clock(double(r.end), end)));
    }
  };
}

ChangeRecords grain(uint64_t cycles) {
  return [cycles](Records& records, base::Rng&) {
    for (ProbeRecord& r : records) {
      r.begin -= r.begin % cycles;
      r.end -= r.end % cycles;
    }
  };
}

// Lets the counter of each core start at a random value below `most` and wrap after `bits` bits.
ChangeRecords counters(uint64_t most, unsigned bits = 64) {
  return [most, bits](Records& records, base::Rng& rng) {
    std::vector<uint64_t> starts;
    const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
    for (ProbeRecord& r : records) {
      while (starts.size() <= r.core)
        starts.push_back(rng.below(most) & mask);
      r.begin = (r.begin + starts[r.core]) & mask;
      r.end = (r.end + starts[r.core]) & mask;
    }
  };
}

// Lets 32-bit counters start so late that half of the cores wrap during the run.
ChangeRecords wrapping_counters() {
  return [](Records& records, base::Rng& rng) {
    uint64_t end = 1;
    for (const ProbeRecord& r : records)
      end = std::max(end, r.end);
    std::vector<uint64_t> starts;
    for (ProbeRecord& r : records) {
      while (starts.size() <= r.core)
        starts.push_back(UINT32_MAX - rng.below(2 * end));
      r.begin = (r.begin + starts[r.core]) & UINT32_MAX;
      r.end = (r.end + starts[r.core]) & UINT32_MAX;
    }
  };
}

ChangeRecords lost(double share) {
  return [share](Records& records, base::Rng& rng) {
    std::erase_if(records, [&](const ProbeRecord&) {
      return rng.uniform() < share;
    });
  };
}

// ---- changes of the chip

ChangeChip window(int instructions) {
  return [instructions](Twin& twin, Program&, base::Rng&) {
    twin.chip.core.issue_window = instructions;
  };
}

ChangeChip off_by(double share) {
  return [share](Twin& twin, Program&, base::Rng& rng) {
    for (double* rate :
         {&twin.chip.core.ops_per_cycle,
          &twin.chip.network.link_bytes_per_cycle,
          &twin.chip.memory_unit.bytes_per_cycle,
          &twin.chip.dram.port_bytes_per_cycle})
      *rate *= 1 + rng.uniform(-share, share);
  };
}

ChangeChip own_spread(double deviation) {
  return [deviation](Twin& twin, Program&, base::Rng& rng) {
    const Grid grid(twin.chip);
    const auto draw = [&](std::vector<double>& parts, int count) {
      for (int i = 0; i < count; ++i)
        parts.push_back(std::exp(rng.normal(0, deviation)));
    };
    draw(twin.own.cores, grid.core_count());
    draw(twin.own.memory_units, grid.core_count());
    draw(twin.own.ports, grid.port_count());
    draw(twin.own.links, grid.link_count());
    for (int id = 0; id < grid.link_count(); ++id)
      if (const int back = grid.find_link(grid.link(id).to, grid.link(id).from); back > id)
        twin.own.links[size_t(back)] = twin.own.links[size_t(id)];
  };
}

// Returns the hops of a message that goes along columns first, where the routing of the file goes along rows
// first.
std::optional<std::vector<Grid::Hop>> other_way(const Grid& grid, int from, int to) {
  const Position a = grid.position(from);
  const Position b = grid.position(to);
  const int corner = grid.core(a.x, b.y);
  if (corner < 0 || a.x == b.x || a.y == b.y)
    return {};
  std::vector<Grid::Hop> hops = grid.route(from, corner);
  for (const Grid::Hop& hop : grid.route(corner, to))
    hops.push_back(hop);
  return hops;
}

ChangeChip other_routes(size_t count) {
  return [count](Twin& twin, Program& program, base::Rng& rng) {
    const Grid grid(twin.chip);
    for (size_t done = 0, tried = 0; done < count && tried < 100 * count && !program.channels.empty();
         ++tried) {
      Program::Channel& channel = program.channels[rng.below(program.channels.size())];
      const auto hops = other_way(grid, int(channel.from), int(channel.to));
      if (!hops)
        continue;
      channel.route = uint32_t(program.routes.size());
      const auto begin = uint32_t(program.hops.size());
      program.hops.insert(program.hops.end(), hops->begin(), hops->end());
      program.routes.push_back({begin, uint32_t(program.hops.size())});
      ++done;
    }
  };
}

ChangeChip chip_with(void (*change)(spec::Chip&)) {
  return [change](Twin& twin, Program&, base::Rng&) {
    change(twin.chip);
  };
}

ChangeChip routes_of(SheetError error) {
  return [error](Twin& twin, Program& program, base::Rng&) {
    if (auto other = with_error(error, twin.chip, program)) {
      twin.chip = std::move(other->chip);
      program = std::move(other->program);
    }
  };
}

// Adds rows of chips whose file is wrong about more than a rate.
void add_wrong_sheets(std::vector<WorldChange>& rows) {
  rows.push_back({"sheet: another topology", routes_of(SheetError::Topology)});
  rows.push_back({"sheet: all routes along columns first", routes_of(SheetError::ColumnsFirst)});
  const auto add = [&rows](const std::string& name, void (*change)(spec::Chip&)) {
    rows.push_back({"sheet: " + name, chip_with(change)});
  };
  // clang-format off
  add("DRAM latency 200 cycles more", [](spec::Chip& c) { c.dram.latency_cycles += 200; });
  add("DRAM latency 2000 cycles more", [](spec::Chip& c) { c.dram.latency_cycles += 2000; });
  add("links half as wide", [](spec::Chip& c) { c.network.link_bytes_per_cycle /= 2; });
  add("routers take 30 cycles more", [](spec::Chip& c) { c.network.router_cycles += 30; });
  add("segments a quarter as large", [](spec::Chip& c) { c.network.segment_bytes /= 4; });
  add("buffers of 6 segments more", [](spec::Chip& c) { c.network.buffer_segments += 6; });
  add("twice the slots", [](spec::Chip& c) { c.memory_unit.slots *= 2; });
  add("start-up of 200 cycles more", [](spec::Chip& c) { c.core.start_up_cycles += 200; });
  // clang-format on
}

}  // namespace

std::vector<WorldChange> all_world_changes() {
  std::vector<WorldChange> rows{{"as the file says", {}, {}}};
  for (const uint64_t cycles : {8, 32, 64})
    rows.push_back({"timer grain " + std::to_string(cycles), {}, grain(cycles)});
  for (const uint64_t cycles : {500, 2000})
    rows.push_back({"clocks apart by up to " + std::to_string(cycles), {}, counters(2 * cycles)});
  rows.push_back({"counters start anywhere", {}, counters(uint64_t{1} << 40)});
  rows.push_back({"counters of 32 bits wrap", {}, wrapping_counters()});
  rows.push_back({"records lost 2 %", {}, lost(0.02)});
  rows.push_back({"all parts drift to x1.6", {}, warped([](double t, double end) {
                    return t + 0.3 * t * t / end;
                  })});
  for (const int instructions : {6, 16})
    rows.push_back({"issue window " + std::to_string(instructions), window(instructions), {}});
  for (const double factor : {1.15, 1.25, 3.0})
    rows.push_back({"whole chip x" + base::format_number(factor, 3), {}, warped([factor](double t, double) {
                      return factor * t;
                    })});
  rows.push_back({"all links x1.3", chip_with([](spec::Chip& c) {
                    c.network.link_bytes_per_cycle /= 1.3;
                  })});
  rows.push_back({"all cores x1.3", chip_with([](spec::Chip& c) {
                    c.core.ops_per_cycle /= 1.3;
                  })});
  rows.push_back({"classes within 5 %", off_by(0.05), {}});
  rows.push_back({"own spread 5 %", own_spread(0.05), {}});
  rows.push_back({"36 routes differ", other_routes(36), {}});
  add_wrong_sheets(rows);
  return rows;
}

}  // namespace lento::chip
