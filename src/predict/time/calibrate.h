// Fitting the few constants of a chip to measurements, and telling how good the fit is on rows it has not
// seen.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/time/question.h"

namespace lento::predict {

struct Measurement {
  Question question;
  double seconds = 0;
  uint64_t index = 0;       // of the row in its table: decides the split
  bool host_timed = false;  // its `timing` is host: the time to dispatch it is in
};

// Rows with a measurement. Rows that cannot be understood are skipped and counted.
std::vector<Measurement> read_measurements(const std::string& path, base::ReadReport& report);

struct ErrorSummary {
  size_t rows = 0;
  double mean = 0;  // of |predicted - measured| / measured
  double median = 0;
  double bias = 0;  // mean of (predicted - measured) / measured
  double log_correlation = 0;
};
ErrorSummary summarise(const std::vector<double>& predicted, const std::vector<double>& measured);

// About half of the rows, by a hash of the row number: fitted. The others judge.
bool is_training_row(const Measurement& m);

// Only matrix products of one precision are used.
struct GemmFitOptions {
  Precision precision = Precision::Bf16;
  double launch_s = 0;    // above 0: kept instead of fitted
  std::string framework;  // only its rows; empty: all
  bool all_rows = false;  // the constants handed back are refitted to all rows, after the half judged the fit
};
struct GemmFit {
  Calibration constants;
  double launch_s = 0;
  std::vector<std::pair<std::string, double>> libraries;  // speed of every further framework over the first
  ErrorSummary fitted;
  ErrorSummary held_out;
  size_t skipped = 0;  // rows that the system cannot do
  Roofline roofline;   // the three-constant model fitted to the same rows
  ErrorSummary roofline_held_out;
};
GemmFit calibrate_gemm(
    const System& system,
    const std::vector<Measurement>& rows,
    const GemmFitOptions& options,
    const base::Progress& progress = {});

// Mean error on the held-out rows of the roofline fitted to the others. All rows must be matrix products.
double roofline_error(const System& system, const std::vector<Measurement>& rows);

// The `calibration:` entry of a data sheet.
std::string to_yaml(const Calibration& constants, Precision precision);  // with its hold-out error

// Scalars of a software stack from measured training runs on at most `devices`, tensor parallelism inside a
// node. `library` is then the speed of products in long runs over kernels timed alone (cold chips, full
// clock).
struct StackScalar {
  const char* name;
  double Stack::*at;
  // where a fit begins when the stack says nothing, and its range
  double start;
  double low;
  double high;
};
const std::vector<StackScalar>& stack_scalars();  // all that can be fitted

struct TrainingFitOptions {
  int devices = 8;
  std::string framework;                    // empty: any, with the system's own stack to start from
  std::vector<const StackScalar*> scalars;  // the others stay
};
struct TrainingFit {
  Stack stack;
  ErrorSummary fitted;
  ErrorSummary held_out;
  size_t skipped = 0;  // runs that cannot be laid out
};
TrainingFit calibrate_training(
    const System& system,
    const std::vector<Measurement>& rows,
    const TrainingFitOptions& options,
    const base::Progress& progress = {});

// Each training run predicted with `scalars` of its stack fitted to all other rows.
ErrorSummary leave_one_out(
    const System& system,
    const std::vector<Measurement>& rows,
    const std::vector<const StackScalar*>& scalars);

}  // namespace lento::predict
