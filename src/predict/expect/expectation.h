// Two answers to one question: what the hardware allows, and what such runs reach with this software.
//
// The expectation is the time that the fitted software leads to, with the interval that nine of ten such runs
// lie in: errors of runs predicted without their source, over the deviation expected of each, bounded by
// weighted conformal prediction in which every source has one voice (evidence/conformal.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/expect/run_time.h"
#include "predict/time/question.h"

namespace lento::predict {

struct Expectation {
  Work work = Work::Serve;
  std::string stack;         // as the table of software spells it; empty: none was named
  bool known_stack = false;  // its runs were seen
  double seconds = 0;        // of an iteration, or of all requests
  // nine of ten such runs lie between
  double fast_s = 0;
  double slow_s = 0;
  double half_ratio = 1;  // half of such runs lie within this factor of `seconds`
  double limit_s = 0;
  double tokens = 0;  // of the iteration, or of all answers
  int devices = 1;
  double peak_share = 0;                       // training: model flops over the dense peak
  Precision peak_precision = Precision::Bf16;  // of that peak
  double first_token_s = 0;
  double per_token_s = 0;
  double memory_bytes = 0;  // of the fullest device, with what context and libraries take
  bool fits = true;
  std::vector<std::string> unlike;  // what no seen run shares with this one

  double per_device(double seconds_taken) const {  // tokens a second
    return tokens / seconds_taken / devices;
  }
};

// The logarithm by which runs of the median source took longer than their stacks led to expect: the fit
// trusts typical runs most, and people's runs are slower or faster than those.
double typical_error(const SoftwareTable& table, Work work, const std::string& without_source = {});

// The expected deviations around it that hold a share of the runs of new sources.
double share_lies_within(
    const SoftwareTable& table,
    Work work,
    double share,
    const std::string& without_source = {});
double nine_of_ten(const SoftwareTable& table, Work work, const std::string& without_source = {});

// Answers for training runs and requests served together. Other questions have no software: nothing.
// `question.framework` names a stack (stack_called) or is empty.
std::optional<Expectation> expect_run(const System& system, const Question& question);

// "6,900 tokens/s per GPU (5,600 to 8,300 in nine of ten such runs; the hardware allows 9,800)."
std::string headline(const System& system, const Expectation& e);

}  // namespace lento::predict
