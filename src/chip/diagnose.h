// Records of a chip, or a sketch of them, to the verdict: recorder, twin, replay of hypotheses, words.
//
//   finding::Diagnosis d = diagnose_chip({.records = "run.probe", .chip = "c.yaml", .mapping =
//   "m.json",});
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
#include "chip/fit/fit.h"
#include "chip/model/model.h"
#include "chip/read/probe_record.h"
#include "chip/sketch/sketch.h"
#include "finding/finding.h"

namespace lento::chip {

// A recorder of another kind than chip::Sketch that keeps the same statistics, as a program of a tile does.
class SketchRecorder : public RecordSink {
 public:
  // Ends the recording and returns what was kept. Called once, after the last record.
  virtual Sketch finish() = 0;
  // The recorder's own work, for the facts of a Diagnosis.
  virtual std::vector<std::pair<std::string, std::string>> facts() const = 0;
};
using MakeRecorder =
    std::function<std::unique_ptr<SketchRecorder>(std::span<const SketchShape>, const SketchOptions&)>;

// The recorder that keeps the records when records are given.
struct ChipRecorderOptions {
  enum class Kind : uint8_t {
    Sketch,
    ExactTable,
    Given  // `make` makes it
  };
  Kind kind = Kind::Sketch;
  SketchOptions sketch;  // its `ops_per_cycle` is set from the chip
  MakeRecorder make;     // of a given recorder
  std::string name;      // of a given recorder, for the report
};

struct ChipDiagnosisOptions {
  std::string records;  // probe records or a sketch; - is standard input
  std::string chip;
  std::string mapping;
  std::string healthy;     // records or sketch of a run known to be healthy; empty: none
  std::string fit_file;    // a twin that calibrate_chip() wrote; empty: none
  std::string sketch_out;  // the sketch is written here; empty: nowhere
  MethodChoice method;
  ChipRecorderOptions recorder;
  // How the recorder was asked for by hand ("--budget"), which a sketch file cannot follow; empty: it was
  // not.
  std::string recorder_set_by;
  bool replay = true;     // simulate hypotheses
  bool fit = true;        // judge by a twin fitted to the run, instead of by the chip file as it stands
  double tolerance = -1;  // largest share by which healthy parts of a class differ; below 0: estimated
  double false_alarms = DetectOptions{}.false_alarms;  // reports on a healthy run that may be, each
  // Undo what the recorder did to times, fit what the chip file does not say, and accuse only parts whose raw
  // records agree (chip/model). Of records that are not a sketch yet, by our own method.
  bool model = true;
  std::shared_ptr<const ChipModel>
      learnt;  // of this chip, mapping and number of inferences; none: learnt here
  bool strict = false;
  uint64_t seed = 1;
};

// Throws base::Error when a file is broken or they do not belong together.
finding::Diagnosis diagnose_chip(const ChipDiagnosisOptions& options, const base::Progress& progress = {});

// The same of a sketch in memory, recorded by `judged.options()`; the one place where a verdict on a chip is
// reached, whoever asks. `replays`: none when nothing may be simulated; of the chip with its declared parts.
// `detect.own`: what is declared of single parts (chip/map/declared.h); nullptr: nothing.
MethodResult judge_chip(
    const MethodChoice& method,
    const Sketch& judged,
    const spec::Chip& chip,
    const Program& program,
    const ReplayOf& replays,
    DetectOptions detect = {},
    const FitOptions& fit = {});

}  // namespace lento::chip
