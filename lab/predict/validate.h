// Recomputes every published figure that the predictor is compared with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/time/calibrate.h"
#include "predict/time/hold_out.h"

namespace lento::predict {

struct Bar {
  std::string what;  // "bf16 GEMM, m >= 1024, A100"
  size_t rows = 0;
  std::string published;  // the original's or the best peer's error
  double limit = 0;       // what must be reached
  double ours = 0;
  bool reached = false;
  std::string note;  // how the rows were chosen
};

struct Residual {
  std::string bar;
  uint64_t row = 0;
  double predicted_s = 0;
  double measured_s = 0;
};

struct Validation {
  std::vector<Bar> bars;
  std::vector<Residual> residuals;
};

// Recomputes all figures. `folder` has the measured tables under their published names. A missing table
// leaves its figures out.
Validation validate(const std::string& folder, const base::Progress& progress = {});

// Returns the errors of every kind, chip and regime with at least kFewestRows measured rows: of rows outside
// the fit when constants were fitted to others, else of all.
std::vector<HoldOutCell> hold_out_cells(const std::string& folder);

// One error of a kind, chip and regime.
// By the name of the chip that they were measured on.
using ErrorsByChip = std::map<std::string, std::vector<double>>;
// Returns the error that a share of the rows does not exceed on a chip drawn at random. A chip with
// thousands of rows counts as much as one with a few dozen, and one with fewer than kFewestRows counts less.
double quantile_of_chips(const ErrorsByChip& errors, double share);

struct SeenError {
  std::string kind;
  std::string chip;
  std::string regime;
  double error = 0;
};
// Returns their quantiles by all three keys and by the first two. Groups with too few rows are left out.
std::vector<HoldOutCell> cells_of(const std::vector<SeenError>& errors);

}  // namespace lento::predict
