// Predicts how fast one workload should run on one system: the verdict of `lento predict WORKLOAD --system
// S`.
#pragma once

#include <optional>
#include <string>

#include "finding/finding.h"
#include "predict/expect/verdict.h"
#include "predict/time/workload.h"

namespace lento::predict {

struct PredictOptions {
  std::string workload;  // YAML, config.json or ONNX; '-' is standard input; empty: that of the design point
  std::string model;     // usual name of a model, instead of a workload
  std::string system;    // a shipped sheet, a file, or a design point
  RunOptions run;
  std::optional<MeasuredFigure> measured;  // the time or rate that a real run reached, to be judged
  double usd_per_hour = 0;                 // price of one device; 0: the price of the data sheet
  double tokens = 0;                       // of the whole training or of all answers; 0: not given
  // Serving: answer for the largest batch whose requests get a token at least this often; 0: as asked.
  double token_s = 0;
};

// Parses "15T", "300B", "1.5e12" or a plain number of tokens. Throws base::Error for anything else.
double parse_tokens(const std::string& text);

// Throws base::Error when no workload and no model is named, or when the workload cannot run on the system.
finding::Diagnosis predict(const PredictOptions& options);

// A parsed workload file, and the file's name and digest as they are listed among the inputs of a diagnosis.
struct WorkloadFile {
  Question question;
  finding::Input input;
};
WorkloadFile read_workload_file(const std::string& path, const RunOptions& run);

}  // namespace lento::predict
