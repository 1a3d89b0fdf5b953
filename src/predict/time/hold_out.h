// How sure an answer is: what share of held-out measurements of questions like it lay how near the
// prediction.
//
// Like means the same kind of question, the same chip, the same software and the same regime of sizes and
// predicted time, as far as enough was measured. A chip of its own constants answers for itself; one that
// borrows those of a relative is as sure as measured chips predicted with their relatives' constants; one
// without either as measured chips predicted without any. The table is share/lento/hold_out_errors.csv, which
// `lento-lab validate --errors` writes from the measured tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/time/question.h"

namespace lento::predict {

constexpr size_t kFewestRows =
    20;  // below, a regime's tenth of worst errors is hardly seen: the coarser one counts
constexpr size_t kFewestStrangers =
    100;  // below, chips predicted without rows of their own are two or three, too few to speak for another

// `chip` is a system's name ("h100", with its software "h100/SGLang") or one of the three below. An empty
// regime is all of them.
struct HoldOutCell {
  std::string kind;
  std::string chip;
  std::string regime;
  size_t rows = 0;
  // |predicted / measured - 1| of the half and of nine tenths of the rows
  double p50 = 0;
  double p90 = 0;
};
constexpr const char* kFittedChip = "fitted";      // all chips with constants of their own
constexpr const char* kRelativeChip = "relative";  // all chips, predicted with their relative's constants
constexpr const char* kGenericChip = "generic";    // all chips, predicted without any chip's constants

std::string kind_of(const Question& question);  // "16-bit product", "training step", ...
std::string regime_of(const Question& question, double predicted_s);  // "m 17 to 128, 10 to 100 us"

const std::vector<HoldOutCell>& shipped_hold_out();
// Of fused kernels and served loads (share/lento/serving_errors.csv): each in a part that was not fitted.
const std::vector<HoldOutCell>& shipped_serving_errors();

// Where an answer's constants come from.
enum class Constants {
  Own,
  Relative,
  Generic
};

struct Sureness {
  double p50 = 0;
  double p90 = 0;
  bool measured = false;  // questions of this kind and regime were measured on this chip
};

// `stated`: the mean hold-out error that the data sheet gives for its own constants, 0 when it gives none;
// used for chips that the table does not know.
Sureness sureness(
    const System& system,
    const Question& question,
    double predicted_s,
    Constants constants,
    double stated);

}  // namespace lento::predict
