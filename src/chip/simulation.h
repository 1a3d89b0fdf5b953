// A mapping run on a chip: its probe records, and how busy everything was.
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
  std::string faults;        // what to slow down; empty: nothing
  std::string records;       // where the probe records go; empty: nowhere
  std::string chrome_trace;  // where a trace for chrome://tracing goes; empty: nowhere
  std::string probes = "full";
  ProbeForm form = ProbeForm::Binary;  // of the records
  bool released = false;  // the model of the released SLOTH example
  uint32_t inferences = 1;
  uint64_t seed = 1;
};

// An answer; nothing when it was stopped, and then nothing is left of the files. Throws base::Error when a
// fault's component is not on the chip, or when it would begin after the run has ended.
std::optional<finding::Diagnosis> simulate_chip(
    const ChipSimulationOptions& options,
    const base::Progress& progress);

}  // namespace lento::chip
