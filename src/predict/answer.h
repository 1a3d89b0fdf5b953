// How fast one workload should be: the verdict of `lento predict WORKLOAD --system S`.
#pragma once

#include <optional>
#include <string>

#include "finding/finding.h"
#include "predict/expect/verdict.h"
#include "predict/time/workload.h"

namespace lento::predict {

struct PredictOptions {
  std::string workload;  // YAML, config.json or ONNX; '-' is standard input; empty: a design's own
  std::string model;     // in place of a workload: a model by its usual name
  std::string system;    // a shipped sheet, a file, or a design point
  RunOptions run;
  std::optional<MeasuredFigure> measured;  // what a run reached, to be judged
  double usd_per_hour = 0;                 // of a device; 0: as the sheet says
};

// Throws base::Error: nothing was asked, or what was asked is impossible.
finding::Diagnosis predict(const PredictOptions& options);

// The question of a workload file and its bytes as an input of a diagnosis.
struct WorkloadFile {
  Question question;
  finding::Input input;
};
WorkloadFile read_workload_file(const std::string& path, const RunOptions& run);

}  // namespace lento::predict
