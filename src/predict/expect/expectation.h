// Answers one question twice: the least time that the hardware allows, and the time that such runs usually
// reach with their software.
//
// The expected time follows from the fitted scalars of the software. Nine of ten such runs lie in its
// interval, which follows from the errors of measured runs (run_spread.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/expect/run_time.h"
#include "predict/time/question.h"

namespace lento::predict {

// A usual mistake in reporting a run, with the factor by which it makes the reported rate too high.
struct Miscount {
  enum class Of {
    Tokens,
    Operations,  // also the share of the peak
    Time
  };
  Of of = Of::Tokens;
  std::string what;  // "the tokens of all 8 GPUs were taken for those of one"
  double factor = 1;
};

struct Expectation {
  Work work = Work::Serve;
  std::string stack;         // as the table of software spells it; empty: the question named no stack
  std::string fitted;        // name of the stack on this system (stack_on)
  bool known_stack = false;  // the table has measured runs of this stack on such devices
  double seconds = 0;        // time of one training iteration, or until all requests are served
  // 90 % of such runs lie between these two times.
  double fast_s = 0;
  double slow_s = 0;
  double half_ratio = 1;  // half of such runs lie within this factor of `seconds`
  double limit_s = 0;
  double tokens = 0;  // tokens of one iteration, or of all answers
  int devices = 1;
  double peak_share = 0;  // training only: model operations per second over the dense peak
  Precision peak_precision = Precision::Bf16;  // the precision of that peak
  double sequences = 0;                        // of one iteration, or requests
  // Serving only, in seconds: from the start until the first and until the last request has its first token,
  // and between two tokens of a request.
  double first_token_s = 0;
  double last_first_token_s = 0;
  double per_token_s = 0;
  // Requests of the busiest replica, and those that it decodes at once. The others wait.
  double requests = 1;
  double together = 1;
  double memory_bytes = 0;  // on the device that holds the most, with the reserve for context and libraries
  // Serving: share of the device's memory that the software uses by default; the rest stays free.
  double memory_share = 1;
  double memory_error = 0;  // that nine of ten such counts do not exceed
  bool fits = true;
  std::vector<std::string> unmeasured;  // properties that no measured run shares with this one
  std::vector<Miscount> miscounts;      // that can be made with such a run, the most common first
  // Implausible values of the data sheet (hardware/plausible.h). The interval is valid only when this is
  // empty.
  std::vector<std::string> doubts;

  // Returns whether the error of the count decides whether the run fits.
  bool at_edge(double device_bytes) const {
    return memory_error > 0 && memory_bytes <= device_bytes * (1 + memory_error) &&
           device_bytes <= memory_bytes * (1 + memory_error);
  }

  // Writes whether the run fits in a device's memory, with the requests that wait for room.
  std::string memory_text(double device_bytes) const;

  double per_device(double seconds_taken) const {  // tokens per second and device
    return tokens / seconds_taken / devices;
  }
};

// Answers for training runs and for requests that are served together. Returns nothing for other questions,
// because no software was fitted for them. `question.framework` is empty or a name that stack_called
// returns.
std::optional<Expectation> expect_run(const System& system, const Question& question);

// States that the sheet is outside what was measured, and which of its values to check (Expectation::doubts).
std::string unlike_all_sheets(const Expectation& e);

// "6,900 tokens/s per GPU (5,600 to 8,300 in nine of ten such runs; the hardware allows 9,800)." A run that
// does not fit in memory gets no rate.
std::string headline(const System& system, const Expectation& e);

}  // namespace lento::predict
