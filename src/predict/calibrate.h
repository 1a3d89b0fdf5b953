// Fits a chip's constants, or the scalars of a software stack, to measured times: `lento predict calibrate`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "predict/time/calibrate.h"

namespace lento::predict {

struct CalibrateOptions {
  std::vector<std::string> measurements;
  std::string system;
  double launch_s = 0;          // seconds to launch one kernel; 0: fitted
  TrainingFitOptions training;  // options of the fit of a stack, except its scalars
  // Names of the stack's scalars that are fitted.
  std::vector<std::string> scalars{"host_layer", "pointwise", "overlap", "library"};
  bool all_rows = false;  // after half of the rows measured the error, fit products to all rows
  bool strict = false;
};

// Holds the constants of matrix products by precision, or one fitted software stack, never both.
struct CalibrateResult {
  std::vector<std::pair<Precision, GemmFit>> products;
  std::vector<TrainingFit> training;  // at most one
  base::ReadReport report;
};
CalibrateResult calibrate(const CalibrateOptions& options, const base::Progress& progress);

}  // namespace lento::predict
