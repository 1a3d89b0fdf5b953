// The accelerator model: a program on a chip, event by event -> probe records and system metrics.
//
//   const Model model(chip, program);                        // once per chip and mapping; shared by threads
//   Result healthy = simulate(model, {}, {.seed = 1}, &sink);
//
// Cores issue instructions in program order, with a bounded window in flight. Computes run one at a time, in
// order, at a rate drawn per operation from a normal distribution. A message starts up, enters its router
// segment by segment and crosses the links (network.h). It may start while the receiver has credits left
// (program.h). A DRAM transfer holds one slot of the core's memory unit, at most two segments ahead of it,
// and passes the DRAM port of its row and the links between. Records cost the core that writes them: its next
// operation starts that much later. simulate() is a pure function: same arguments, same result and same
// records, on any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "chip/map/faults.h"
#include "chip/map/probe_plan.h"
#include "chip/map/program.h"
#include "chip/map/twin.h"
#include "chip/read/probe_record.h"
#include "chip/sim/influence.h"
#include "chip/sim/noise.h"
#include "spec/chip.h"

namespace lento::chip {

class Model {
 public:
  // Keeps a reference to `program`, which must outlive the model.
  Model(const spec::Chip& of_chip, const Program& of_program, Deviations of_parts = {})
      : chip(of_chip),
        grid(of_chip),
        own(std::move(of_parts)),
        noise(of_chip.network.transit_cv),
        silence(0),
        program(of_program) {
  }
  Model(const spec::Chip& of_chip, Program&& of_program, Deviations of_parts = {}) = delete;

  const spec::Chip chip;
  const Grid grid;
  const Deviations own;  // deviations of single parts during the whole run
  // `silence` is noise whose factors are all 1.
  const Noise noise;
  const Noise silence;
  const Program& program;
};

struct Options {
  uint32_t inferences = 1;
  uint64_t seed = 1;
  ProbePlan probes = named_plan("full");
  bool noise = true;                 // false: all rates and transit times have their mean
  bool datelines = true;             // false: rings without dateline channels, which can deadlock
  uint64_t max_cycles = UINT64_MAX;  // stop there; Result::finished is false then
  std::function<bool()> stop = {};   // checked regularly; true ends the run as max_cycles does
};

struct Result {
  uint64_t cycles = 0;  // when the last instruction was done
  bool finished = true;

  struct LayerTime {
    // First start and last end of its computes and transfers.
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    uint64_t busy = 0;  // compute cycles, all cores
  };
  struct Use {
    uint64_t busy = 0;  // cycles
    uint64_t bytes = 0;
  };
  std::vector<LayerTime> layers;       // by layer index, of the whole run
  std::vector<uint64_t> core_busy;     // compute cycles
  std::vector<uint64_t> probe_cycles;  // spent on records, by core
  // Vectors by link id, and by DRAM port.
  std::vector<Use> links;
  std::vector<Use> ports;
  std::vector<Use> memory_units;        // by core; `busy` is summed over the slots
  std::vector<uint64_t> fault_hits;     // by fault: operations, transfers and segments that started inside it
  std::vector<uint64_t> inference_end;  // when each inference's last instruction was done
  uint64_t records = 0;
  uint64_t dropped = 0;
  uint64_t events = 0;
  uint64_t link_hops = 0;
};

// Simulates a run. Throws base::Error when it cannot end (a deadlock), naming the cycle of waits.
Result simulate(
    const Model& model,
    const std::vector<Fault>& faults,
    const Options& options,
    RecordSink* sink = nullptr);

// Repeats the healthy run and passes each record with the derivatives of its duration (influence.h).
Result simulate_influence(const Model& model, const Options& options, InfluenceSink& sink);

}  // namespace lento::chip
