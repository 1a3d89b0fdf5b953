// Fits the few constants of a chip to measurements, and measures the error of the fit on rows that were not
// fitted.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/time/question.h"

namespace lento::predict {

struct Measurement {
  Question question;
  double seconds = 0;
  uint64_t index = 0;       // row number in its table; decides whether the row is fitted
  bool host_timed = false;  // the time includes the host's dispatch (column `timing` is host)
};

// Reads the rows that hold a measurement. Rows that cannot be parsed are skipped and counted in `report`.
std::vector<Measurement> read_measurements(const std::string& path, base::ReadReport& report);

struct ErrorSummary {
  size_t rows = 0;
  double mean = 0;  // mean of |predicted - measured| / measured
  double median = 0;
  double bias = 0;  // mean of (predicted - measured) / measured
  double log_correlation = 0;
};
ErrorSummary summarise(const std::vector<double>& predicted, const std::vector<double>& measured);

// Returns whether the row is fitted. A hash of the row number chooses about half of the rows. The other half
// measures the error.
bool is_training_row(const Measurement& m);

// Options of the fit to matrix products of one precision.
struct GemmFitOptions {
  Precision precision = Precision::Bf16;
  double launch_s = 0;    // seconds per launch; 0: fitted
  std::string framework;  // use only rows of this framework; empty: all
  bool all_rows = false;  // after half of the rows measured the error, fit the returned constants to all rows
};
struct GemmFit {
  Calibration constants;
  double launch_s = 0;
  // Names of the frameworks after the first, each with its speed relative to the first.
  std::vector<std::pair<std::string, double>> libraries;
  ErrorSummary fitted;
  ErrorSummary held_out;
  size_t skipped = 0;  // rows that the system cannot run
  Roofline roofline;   // a three-constant roofline fitted to the same rows, for comparison
  ErrorSummary roofline_held_out;
};
GemmFit calibrate_gemm(
    const System& system,
    const std::vector<Measurement>& rows,
    const GemmFitOptions& options,
    const base::Progress& progress = {});

// Returns the mean error on the held-out rows of a roofline fitted to the other rows. All rows must be
// matrix products.
double roofline_error(const System& system, const std::vector<Measurement>& rows);

// Writes the `calibration:` entry of a data sheet.
std::string to_yaml(const Calibration& constants, Precision precision);  // includes the hold-out error

// Scalars of a software stack that are fitted to measured training runs. Only runs on at most `devices`
// devices, with tensor parallelism inside a node, are used. The scalar `library` is then the speed of
// products in long runs over that of kernels timed alone on cold chips at full clock.
struct StackScalar {
  const char* name;
  double Stack::*at;
  // First value of a fit when the stack gives none, and the range of the scalar.
  double start;
  double low;
  double high;
};
const std::vector<StackScalar>& stack_scalars();  // all scalars that can be fitted

struct TrainingFitOptions {
  int devices = 8;
  std::string framework;  // empty: rows of any framework, starting from the system's own stack
  std::vector<const StackScalar*> scalars;  // scalars to fit; the others keep their values
};
struct TrainingFit {
  Stack stack;
  ErrorSummary fitted;
  ErrorSummary held_out;
  size_t skipped = 0;  // runs whose layout does not divide their model
};
TrainingFit calibrate_training(
    const System& system,
    const std::vector<Measurement>& rows,
    const TrainingFitOptions& options,
    const base::Progress& progress = {});

// Predicts each training run with `scalars` of its stack fitted to all other rows, and returns the errors.
ErrorSummary leave_one_out(
    const System& system,
    const std::vector<Measurement>& rows,
    const std::vector<const StackScalar*>& scalars);

}  // namespace lento::predict
