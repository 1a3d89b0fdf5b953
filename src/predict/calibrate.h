// A chip's constants or a framework's stack from measurements: `lento predict calibrate`.
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
  double launch_s = 0;                                                                // 0: fitted
  TrainingFitOptions training;                                                        // but its scalars
  std::vector<std::string> scalars{"host_layer", "pointwise", "overlap", "library"};  // to fit, by name
  bool all_rows = false;  // constants of products fitted to all rows, once half of them judged the fit
  bool strict = false;
};

// Either constants by precision, or a stack.
struct CalibrateResult {
  std::vector<std::pair<Precision, GemmFit>> products;
  std::vector<TrainingFit> training;  // at most one
  base::ReadReport report;
};
CalibrateResult calibrate(const CalibrateOptions& options, const base::Progress& progress);

}  // namespace lento::predict
