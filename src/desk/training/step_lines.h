// Describes step lines as data: a line form, the capture that holds the step, and labels before the numbers
// that become samples.
//
//   const StepLine kLines[] = {
//       {{"step: {step:count} loss:", {"step: 10  loss: 7.9  tps: 6,892"}}, {{"tps:", &kTokensPerS}}}};
//
// A label may be absent: versions of one program write different ones.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

// One name for one quantity, whatever the program, so that logs of several programs have the same rows.
extern const Quantity kStepTime;     // s
extern const Quantity kFlopsPerGpu;  // TFLOP/s
extern const Quantity kTokensPerS;   // 1/s, of one GPU
extern const Quantity kSamplesPerS;  // 1/s, of the job
extern const Quantity kUtilisation;  // % of the peak in use (MFU)
extern const Quantity kBatch;        // samples in a step
extern const Quantity kSequence;     // tokens in a sample

struct LabelledNumber {
  std::string_view label;
  const Quantity* quantity;
  double scale = 1;  // factor from the line's unit to that of the quantity
};

struct StepLine {
  LineForm form;
  std::vector<LabelledNumber> numbers;
};

// Returns the number after a label. Blanks or a quote may separate them, and digits may have commas. A label
// inside a longer word does not match.
std::optional<double> number_after(std::string_view line, std::string_view label);

// Writes a sample for each labelled number of a line.
void write_samples(const StepLine& line, const Match& match, Sink& sink);

// Returns the line forms of a table, in the same order.
std::vector<LineForm> forms_of(std::span<const StepLine> lines);

// A reader for formats of which a table of StepLine describes every line.
template <const auto& kTable>
class StepLines : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    write_samples(kTable[form], match, sink);
  }
};

}  // namespace lento::desk
