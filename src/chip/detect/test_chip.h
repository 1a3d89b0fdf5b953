// Simulates a chip without queues, for tests. Every transfer takes the time of the servers on its path times
// noise, so that expected values have a closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "chip/detect/detect.h"
#include "chip/map/grid.h"
#include "chip/map/twin.h"
#include "chip/sketch/sketch.h"

namespace lento::chip::test {

struct Flow {
  ProbeKind kind = chip::ProbeKind::Message;
  int core = 0;  // that records it
  int peer = 0;
  uint64_t bytes = 4096;
};

class QuietChip {
 public:
  QuietChip()
      : grid_(spec::Chip{}) {
    file_.network.segment_bytes = 1024;
    for (int core = 0; core < grid_.core_count(); ++core) {
      for (int other = 0; other < grid_.core_count(); ++other)
        if (const size_t hops = grid_.route(other, core).size(); hops > 0 && hops <= kFarthest)
          flows.push_back({chip::ProbeKind::Message, core, other});
      // A transfer of 900 bytes is one segment, which takes the sum of the times of all servers. One of
      // 15,000 bytes has many, which follow at the time of the slowest server.
      for (const uint64_t bytes : {900, 15'000}) {
        flows.push_back({chip::ProbeKind::Read, core, grid_.port_of(core), bytes});
        flows.push_back({chip::ProbeKind::Write, core, grid_.port_of(core), bytes});
      }
    }
  }

  std::vector<Flow> flows;
  double noise = 0.02;      // of a transfer, relative
  uint64_t bins = 24;       // of the run
  int records = 2;          // of each flow, and of each core's operations, in a bin
  uint64_t work = 1 << 18;  // of an operation

  static constexpr uint64_t kBin = 1 << 16;  // cycles
  static constexpr size_t kFarthest = 2;     // hops

  const spec::Chip& file() const {
    return file_;
  }
  const Grid& grid() const {
    return grid_;
  }

  // Returns the sketch of a run up to cycle `until`, in whole time bins.
  Sketch run(const Twin& twin, const std::vector<Fault>& faults, uint64_t seed, uint64_t until = UINT64_MAX)
      const {
    SketchShape shape;
    shape.hashes = 0;
    shape.buckets = 0;
    shape.transfers = 64;
    shape.bins = 64;
    SketchOptions options;
    options.budget_bytes = 1 << 16;
    options.threshold = 1;
    options.bin_cycles = kBin;
    options.ops_per_cycle = recorder_rate(file_.core.ops_per_cycle, file_.core.rate_deviation);
    Sketch sketch(std::vector<SketchShape>(size_t(grid_.core_count()), shape), options);
    base::Rng rng(seed, "quiet chip");
    for (uint64_t bin = 0; bin < std::min<uint64_t>(bins, until / kBin); ++bin)
      for (int i = 0; i < records; ++i) {
        const uint64_t now = bin * kBin + uint64_t(i) * (kBin / uint64_t(records));
        for (int core = 0; core < grid_.core_count(); ++core)
          compute(sketch, twin, faults, core, now, rng);
        for (const Flow& flow : flows)
          transfer(sketch, twin, faults, flow, now, rng);
      }
    return sketch;
  }
  Sketch run(const std::vector<Fault>& faults, uint64_t seed) const {
    return run({file_, {}}, faults, seed);
  }

  // Returns simulations whose seeds differ from those of the recorded runs in tests.
  ReplayOf replays() const {
    return [this](const Twin& twin) {
      return [this, twin](const std::vector<Fault>& faults, uint32_t draw, uint64_t until) {
        return run(twin, faults, 1'000'000 + draw, until);
      };
    };
  }
  Replay replay() const {
    return replays()({file_, {}});
  }

  Fault fault(const Component& component, double factor, uint64_t first_bin, uint64_t last_bin) const {
    Fault f = fault_of(component, grid_);
    f.factor = factor;
    f.begin = first_bin * kBin;
    f.end = last_bin * kBin;
    return f;
  }

 private:
  static double slow(const std::vector<Fault>& faults, Part part, int index, uint64_t now) {
    double factor = 1;
    for (const Fault& f : faults)
      if (f.part == part && f.index == index)
        factor *= f.at(now);
    return factor;
  }

  double slow_link(const std::vector<Fault>& faults, const Grid::Link& link, uint64_t now) const {
    double factor = slow(faults, Part::Router, link.from, now) * slow(faults, Part::Router, link.to, now);
    for (const Fault& f : faults)
      if (f.part == Part::Link && std::minmax(f.index, f.other) == std::minmax(link.from, link.to))
        factor *= f.at(now);
    return factor;
  }

  void compute(
      Sketch& sketch,
      const Twin& twin,
      const std::vector<Fault>& faults,
      int core,
      uint64_t now,
      base::Rng& rng) const {
    const double rate = twin.chip.core.ops_per_cycle / Deviations::of(twin.own.cores, size_t(core)) /
                        slow(faults, Part::Core, core, now) *
                        std::max(0.1, rng.normal(1, file_.core.rate_deviation));
    ProbeRecord r;
    r.kind = chip::ProbeKind::Compute;
    r.core = uint16_t(core);
    r.work = work;
    r.begin = now;
    r.end = now + uint64_t(std::lround(double(work) / rate));
    sketch.record(r);
  }

  // Records one transfer: each segment passes one server after the other (store and forward), and segments
  // follow each other at the time of the slowest server.
  void transfer(
      Sketch& sketch,
      const Twin& twin,
      const std::vector<Fault>& faults,
      const Flow& flow,
      uint64_t now,
      base::Rng& rng) const {
    const spec::Chip& chip = twin.chip;
    std::vector<double> stages;  // cycles a byte
    if (flow.kind == ProbeKind::Message)
      stages.assign(2, 1 / chip.core.scratchpad_bytes_per_cycle);
    if (flow.kind == ProbeKind::Write)
      stages.assign(1, 1 / chip.core.scratchpad_bytes_per_cycle);
    int from = flow.kind == ProbeKind::Message ? flow.peer : flow.core;
    int to = flow.core;
    if (flow.kind != ProbeKind::Message) {
      const double unit = Deviations::of(twin.own.memory_units, size_t(flow.core)) *
                          slow(faults, Part::MemoryUnit, flow.core, now);
      const double port =
          Deviations::of(twin.own.ports, size_t(flow.peer)) * slow(faults, Part::DramPort, flow.peer, now);
      stages.push_back(unit / chip.memory_unit.bytes_per_cycle);
      stages.push_back(port / chip.dram.port_bytes_per_cycle);
      from = flow.kind == ProbeKind::Read ? grid_.port_router(flow.peer) : flow.core;
      to = flow.kind == ProbeKind::Read ? flow.core : grid_.port_router(flow.peer);
    }
    double hops = 0;
    for (const Grid::Hop& hop : grid_.route(from, to)) {
      const double own = Deviations::of(twin.own.links, size_t(hop.link));
      stages.push_back(
          own * slow_link(faults, grid_.link(hop.link), now) / chip.network.link_bytes_per_cycle);
      hops += chip.network.router_cycles;
    }
    const double bytes = double(flow.bytes);
    const double segment = std::min(bytes, double(chip.network.segment_bytes));
    double cycles = hops;
    for (const double stage : stages)
      cycles += stage * segment;
    cycles += std::ranges::max(stages) * (bytes - segment);
    ProbeRecord r;
    r.kind = flow.kind;
    r.core = uint16_t(flow.core);
    r.peer = uint16_t(flow.peer);
    r.work = flow.bytes;
    r.begin = now;
    r.end = now + uint64_t(std::lround(cycles * std::max(0.5, rng.normal(1, noise))));
    sketch.record(r);
  }

  spec::Chip file_;
  Grid grid_;
};

}  // namespace lento::chip::test
