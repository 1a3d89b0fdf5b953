// Simulates every component of a chip slowed down, one run each in parallel, with paired noise. Cost: one run
// per component.
#include "chip/sim/sweep.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/parallel.h"

namespace lento::chip {
namespace {

// Returns one fault for each core, link, router, memory unit and port of the chip.
std::vector<Fault> every_fault(const Grid& grid, double factor) {
  std::vector<Fault> faults;
  const auto add = [&](const std::string& name) {
    faults.push_back(component(name, grid, {}));
    faults.back().factor = factor;
  };
  for (int c = 0; c < grid.core_count(); ++c)
    add(grid.core_name(c));
  for (int l = 0; l < grid.link_count(); ++l) {
    const auto [from, to] = std::minmax(grid.link(l).from, grid.link(l).to);
    if (grid.link_between(from, to) == l)
      add(grid.link_name(l));
  }
  for (int r = 0; r < grid.router_count(); ++r)
    add(grid.router_name(r));
  for (int c = 0; c < grid.core_count(); ++c)
    add(grid.memory_unit_name(c));
  for (int p = 0; p < grid.port_count(); ++p)
    add(grid.port_name(p));
  return faults;
}

}  // namespace

Sweep sweep(
    const Model& model,
    double factor,
    const Options& options,
    unsigned threads,
    const base::Progress& progress) {
  Sweep out;
  out.healthy_cycles = simulate(model, {}, options).cycles;
  for (const Fault& fault : every_fault(model.grid, factor))
    out.rows.push_back({fault});
  std::mutex mutex;  // of the progress
  size_t done = 0;
  std::atomic<bool> stopped{false};
  base::parallel_for(out.rows.size(), threads, [&](size_t i) {
    if (progress.stopped())
      stopped = true;
    if (stopped)
      return;
    SweepRow& row = out.rows[i];
    const Result result = simulate(model, {row.fault}, options);
    row.cycles = result.cycles;
    row.slowdown = double(result.cycles) / double(out.healthy_cycles);
    row.events = result.fault_hits[0];
    const std::lock_guard lock(mutex);
    progress("components", double(++done), double(out.rows.size()));
  });
  out.complete = !stopped;
  std::erase_if(out.rows, [](const SweepRow& row) {
    return row.cycles == 0;
  });
  return out;
}

}  // namespace lento::chip
