// How sure an answer is: the mean relative error of held-out measurements of questions like it.
//
// Like means the same kind of question, the same chip and the same regime of sizes and predicted time. The
// table is share/lento/hold_out_errors.csv, which `lento-lab validate --errors` writes from the measured
// tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/time/question.h"

namespace lento::predict {

constexpr size_t kFewestRows = 8;  // below, a regime does not count as measured

// `chip` is a system's name, kFittedChip (all chips with constants of their own) or kGenericChip (all chips,
// predicted with the constants of a chip that was never measured). An empty regime is all of them.
struct HoldOutCell {
  std::string kind, chip, regime;
  size_t rows = 0;
  double error = 0;
};
constexpr const char* kFittedChip = "fitted";
constexpr const char* kGenericChip = "generic";

std::string kind_of(const Question& question);  // "16-bit product", "training step", ...
std::string regime_of(const Question& question, double predicted_s);  // "m 17 to 128, 10 to 100 us"

const std::vector<HoldOutCell>& shipped_hold_out();

struct Sureness {
  double error = 0;
  bool measured = false;  // questions of this kind and regime were measured on this chip
};

// `own`: the system has constants of its own for the question. `stated`: the hold-out error that its data
// sheet gives for them, 0 when it gives none; used for chips that the table does not know. A chip with
// neither is as sure as one without constants.
Sureness sureness(const System& system, const Question& question, double predicted_s, bool own,
                  double stated);

}  // namespace lento::predict
