// Turns records of a chip into a verdict: a recorder makes a sketch of them, the chip's numbers are fitted to
// the run (Twin), hypotheses are simulated (Replay), and findings are reported. A sketch file may take the
// place of records.
//
//   finding::Diagnosis d = diagnose_chip({.records = "run.probe", .chip = "c.yaml", .mapping = "m.json"});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "chip/detect/method.h"
#include "chip/model/model.h"
#include "chip/read/probe_record.h"
#include "chip/sketch/sketch.h"
#include "finding/finding.h"

namespace lento::chip {

// A recorder that keeps the same statistics as chip::Sketch and is implemented elsewhere, such as the
// program of a tile.
class SketchRecorder : public RecordSink {
 public:
  // Ends the recording and returns its sketch. Called once, after the last record.
  virtual Sketch finish() = 0;
  // Returns facts on the recorder's own cost, for the Diagnosis.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
};
using MakeRecorder =
    std::function<std::unique_ptr<SketchRecorder>(std::span<const SketchShape>, const SketchOptions&)>;

// Chooses the recorder that reduces records to a sketch.
struct ChipRecorderOptions {
  enum class Kind : uint8_t {
    Sketch,
    ExactTable,
    Given  // `make` constructs the recorder
  };
  Kind kind = Kind::Sketch;
  SketchOptions sketch;  // its `ops_per_cycle` is set from the chip
  MakeRecorder make;     // constructs the recorder of Kind::Given
  std::string name;      // name of a Kind::Given recorder in the report
};

struct ChipDiagnosisOptions {
  std::string records;               // probe records or a sketch; "-" is standard input
  std::vector<std::string> further;  // probe records of more runs of the same mapping on the same chip
  std::string chip;
  std::string mapping;
  std::string healthy;     // records or sketch of a run known to be healthy; empty: none
  std::string sketch_out;  // file to write the sketch to; empty: none
  MethodChoice method;
  ChipRecorderOptions recorder;
  // Name of the command-line option that chose the recorder ("--budget"), for the error message when
  // `records` is a sketch, which cannot be recorded anew. Empty: no option was given.
  std::string recorder_set_by;
  bool replay = true;             // simulate hypotheses
  double tolerance = kTolerance;  // share by which parts may differ from the chip file and not be reported
  double false_alarms = DetectOptions{}.false_alarms;  // expected false reports on one healthy run
  // Whether to correct recorded times for the recorder's clock, to fit the chip to the run, and to report
  // only parts whose raw records confirm it (chip/model). Applies to raw records, not to sketches, and only
  // to the default method.
  bool model = true;
  std::shared_ptr<const ChipModel>
      learnt;          // a model of this chip, mapping and number of inferences; nullptr: simulated on demand
  std::string models;  // folder that keeps learnt models between calls; empty: none are kept
  bool strict = false;
  uint64_t seed = 1;
};

// Judges the run that the options name. Throws base::Error when a file is broken or the files do not belong
// together.
finding::Diagnosis diagnose_chip(const ChipDiagnosisOptions& options, const base::Progress& progress = {});

struct ChipUnderTest {
  const spec::Chip& chip;
  const Program& program;
};

class ModelJudge;

// Judges a sketch in memory that was recorded with `judged.options()`. Every verdict on a chip passes through
// this function. `replays` simulates the chip with its declared parts; empty when nothing may be simulated.
// `detect.own` holds the declared deviations (chip/map/file/declared.h), or nullptr. `by_model` has judged
// the raw records of the sketch; nullptr: there are none, and the chip file is used unfitted.
MethodResult judge_chip(
    const MethodChoice& method,
    const Sketch& judged,
    const ChipUnderTest& of,
    const ReplayOf& replays,
    DetectOptions detect = {},
    ModelJudge* by_model = nullptr);

}  // namespace lento::chip
