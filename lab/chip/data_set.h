// Fault cases of an evaluation: drawn in the paper's ranges, or read from a folder of fault files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/faults.h"
#include "chip/map/grid.h"

namespace lento::chip {

struct Case {
  std::string name;           // "fault17", or the file's name
  std::vector<Fault> faults;  // empty: a clean run
  bool training = false;      // the number of the case is 1 modulo 3
};

struct DataSetOptions {
  // Number of cases of each kind. The text of the paper has 7 cores to 3 links, its released files the
  // reverse.
  int cores = 106;
  int links = 46;
  int routers = 0;
  int memory_units = 0;
  int dram_ports = 0;
  int chip_links = 0;  // between chips; not among `links`
  double factor = 10;
  double longest_s = 10;  // durations are uniform up to this; or
  // Above 0: every fault lasts this share of the run and lies within it. Above 1: from its begin to past its
  // end.
  double run_share = 0;
  // Or "ramp", which rises over the part of the fault within the run, or "on_off", eight periods in that
  // part, each half on and half off.
  std::string shape = "steady";
  double clock_hz = 1e8;
  uint64_t run_cycles = 0;  // faults start uniformly within the run
  int together = 1;         // faults of one case, on different components, at the same time
  uint64_t seed = 1;
};

// Draws cases in random order of kind. All components exist on the grid. A link means both its directions.
std::vector<Case> draw_cases(const Grid& grid, const DataSetOptions& options);

// All *.json and *.yaml of a folder, by the number in their name, then by name. A file whose components are
// not on the chip gives a Case with a fault that does not exist().
std::vector<Case> read_cases(const std::string& folder, const spec::Chip& chip);

}  // namespace lento::chip
