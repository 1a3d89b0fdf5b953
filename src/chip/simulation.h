// Simulates a mapping on a chip, and writes its probe records and the utilisation of each component.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/progress.h"
#include "chip/read/probe_file.h"
#include "finding/finding.h"

namespace lento::chip {

struct ChipSimulationOptions {
  std::string chip;
  std::string mapping;
  std::string faults;        // file of faults; empty: a healthy chip
  std::string records;       // file for the probe records; empty: none
  std::string chrome_trace;  // file for a trace of chrome://tracing; empty: none
  std::string probes = "full";
  ProbeForm form = ProbeForm::Binary;  // form of the records
  bool released = false;               // simulate with the model of the released SLOTH example
  uint32_t inferences = 1;
  uint64_t seed = 1;
};

// Returns the result, or nothing when it was stopped, and then no file is left. Throws base::Error when a
// fault's component is not on the chip, or when a fault begins after the end of the run.
std::optional<finding::Diagnosis> simulate_chip(
    const ChipSimulationOptions& options,
    const base::Progress& progress);

}  // namespace lento::chip
