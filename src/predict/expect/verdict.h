// The verdict on a measured run: its figure against what such runs reach and what the hardware allows.
#pragma once

#include <string>
#include <string_view>

#include "finding/finding.h"
#include "predict/expect/expectation.h"

namespace lento::predict {

// A figure as users report it: "13.2 s", "17.5 s/it", "6200 tokens/s" (per GPU), "59520 tokens/s total", "20
// requests/s", "25 ms/token", "410 TFLOP/s" (per GPU), "41 % MFU".
struct MeasuredFigure {
  enum class Kind {
    Time,       // of the whole load of requests, or of a step
    StepTime,   // of a step of training
    TokenTime,  // between two tokens of a request
    Tokens,
    Sequences,  // requests or samples
    Flops,
    Share
  };
  Kind kind = Kind::Time;
  double value = 0;    // seconds, a rate per second, or a share from 0 to 1
  bool total = false;  // the rate is of all devices; false: of one
};
// Parses a figure. Returns nothing when `text` is not a figure, because it may name a file. Throws
// base::Error for a number without a unit or with an unknown one.
std::optional<MeasuredFigure> parse_measured_figure(std::string_view text);

// Converts the figure to seconds of the whole run. Throws base::Error when the run has no such figure (a
// share of the peak while serving).
double seconds_of(const System& system, const Expectation& e, const MeasuredFigure& figure);

enum class Speed {
  AsExpected,
  Slow,       // slower than nine of ten such runs
  Fast,       // faster than nine of ten such runs
  Impossible  // faster than the hardware allows
};
struct SpeedVerdict {
  Speed speed = Speed::AsExpected;
  double factor = 1;    // measured over expected time
  std::string text;     // one sentence
  std::string mistake;  // a usual mistake in reporting that explains the figure; empty: none
};
SpeedVerdict judge_speed(const System& system, const Expectation& e, const MeasuredFigure& figure);

// Writes the headline as verdict, the expectation and the limit of the hardware as facts, and the comparison
// with `measured` where it is given.
void state_expectation(
    finding::Diagnosis& d,
    const System& system,
    const Expectation& e,
    const std::optional<MeasuredFigure>& measured = std::nullopt);

}  // namespace lento::predict
