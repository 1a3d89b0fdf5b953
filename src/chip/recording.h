// Reduces probe records to a sketch, or reads a sketch file: the input of a chip's detectors.
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

// A sketch and its origin.
struct ChipRecording {
  Sketch sketch;
  base::ReadReport report;
  finding::Input input;
  std::string recorder;                                    // name of the recorder
  std::vector<std::pair<std::string, std::string>> facts;  // the recorder's own facts on its cost
  std::vector<std::string> notes;  // properties that do not match the chip and mapping
  double share = 1;                // records over those that the mapping makes in as many inferences
  std::string damage;              // why the file is too damaged to be judged; empty: it is not
  std::string gap;                 // why there are too few records for an all-clear; empty: there are enough
};

// Reads a sketch file unchanged, or reduces probe records with a recorder sized for the mapping. `role`
// names the file in messages: "records" or "healthy run". Throws base::Error when the file is broken or
// belongs to another chip.
//
// `prepare` may change the records of a run before they are recorded. It is not called for a sketch, nor for
// runs of kMostPrepared records or more, which would not fit in memory.
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
