// Estimates the uncertainty of an answer from the errors of held-out measurements of similar questions.
//
// Similar means the same kind of question, chip and software and the same regime (class of sizes and
// predicted time, regime_of), as far as there are enough measurements. A chip with fitted constants gets the
// errors of its own rows. A chip that uses the constants of a relative (the similar chip that its sheet
// names, System::similar_chip) gets the errors of measured chips predicted with their relatives' constants. A
// chip with neither gets the errors of measured chips predicted with default constants. The table is
// share/lento/hold_out_errors.csv, which `lento-lab validate --errors` writes from the measured tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/time/question.h"

namespace lento::predict {

constexpr size_t kFewestRows = 20;  // with fewer rows, the errors of all fitted chips are a lower bound
constexpr size_t kFewestStrangers =
    100;  // with fewer rows over chips that were not fitted, they cover too few chips

// The errors of one kind, chip and regime. `chip` is a system's name ("h100", or "h100/SGLang" with a stack)
// or one of the three names below. An empty regime means all regimes.
struct HoldOutCell {
  std::string kind;
  std::string chip;
  std::string regime;
  size_t rows = 0;
  // |predicted / measured - 1|: the values that half of the rows, and 90 % of them, do not exceed.
  double p50 = 0;
  double p90 = 0;
};
constexpr const char* kFittedChip = "fitted";      // all chips with constants of their own
constexpr const char* kRelativeChip = "relative";  // all chips, predicted with their relative's constants
constexpr const char* kGenericChip = "generic";    // all chips, predicted without any chip's constants

std::string kind_of(const Question& question);  // "16-bit product", "training step", ...
std::string regime_of(const Question& question, double predicted_s);  // "m 17 to 128, 10 to 100 us"

const std::vector<HoldOutCell>& shipped_hold_out();
// Errors of fused kernels and served loads (share/lento/serving_errors.csv), each from rows that were not
// fitted.
const std::vector<HoldOutCell>& shipped_serving_errors();

// The source of the constants that an answer used.
enum class Constants {
  Own,
  Relative,
  Generic
};

// Value of the column `kind` of hold_out_errors.csv for the memory of training. Such rows hold no chip of
// their own but kFittedChip, and were made from measured peaks.
constexpr const char* kTrainingMemory = "training memory";

// Returns the relative error, |counted / measured - 1|, that nine of ten counts of a training run's memory do
// not exceed.
double memory_error();

struct Sureness {
  double p50 = 0;
  double p90 = 0;
  bool measured = false;  // the errors are of this chip, kind and regime
};

// Returns the uncertainty of an answer. `stated` is the mean hold-out error that the data sheet gives for
// its constants, or 0. It is used for chips that the table does not list.
Sureness sureness(
    const System& system,
    const Question& question,
    double predicted_s,
    Constants constants,
    double stated);

}  // namespace lento::predict
