// Probe records or a sketch file as what a chip's detector sees.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/read_report.h"
#include "chip/diagnose.h"
#include "chip/map/program.h"
#include "chip/sketch/sketch.h"
#include "finding/finding.h"

namespace lento::chip {

// What a file holds, and how it came to be read.
struct ChipRecording {
  Sketch sketch;
  base::ReadReport report;
  finding::Input input;
  std::string recorder;                                    // what kept it
  std::vector<std::pair<std::string, std::string>> facts;  // what the recorder says of its own work
  std::vector<std::string> notes;                          // what about it does not fit the chip and mapping
  double share = 1;    // of the records that the mapping makes in as many inferences
  std::string damage;  // why the file is too damaged to be judged, empty when it is not
  std::string gap;     // why they are too few to call the chip healthy; empty: they are not
};

struct ChipUnderTest {
  const spec::Chip& chip;
  const Program& program;
};

// A sketch file as it is; probe records through a recorder sized for the mapping. `role` is "records" or
// "healthy run". Throws base::Error when the file is broken or of another chip.
//
// `prepare` may change the records of a run before the recorder takes them; it gets none of a sketch, nor of
// a run of more than kMostPrepared records, which would not fit in memory.
inline constexpr size_t kMostPrepared = 4'000'000;
using Prepare = std::function<void(std::vector<ProbeRecord>&)>;
ChipRecording read_recording(
    const std::string& role,
    const std::string& path,
    const ChipUnderTest& of,
    const ChipDiagnosisOptions& options,
    const Prepare& prepare = {});

void add_recording(finding::Diagnosis& d, const ChipRecording& recording);

}  // namespace lento::chip
