// Software stacks fitted to runs as people report them, and judged on sources that were not fitted.
//
//   log measured = log time(centre + stack, host of the source) + source + error
//   stack ~ N(0, spread), host ~ N(0, host_spread), source and error ~ t of four degrees
//
// The scalars of a stack are deviations around a centre of all stacks, or around that of the stacks that
// launch each kernel from the host, which differs in what the host does. The spread of stacks and of sources
// is estimated from them (expectation and maximisation), so that a stack with one source stays near the
// centre, and the hundred rows of one source count for the overall level no more than sources differ. The
// steps are Gauss-Newton with numerical derivatives.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/expect/field_rows.h"
#include "predict/expect/run_time.h"

namespace lento::predict {

// A row whose time can be predicted for many sets of scalars.
struct FieldCase {
  FieldRow row;
  std::string stack;  // as the table spells it
  std::shared_ptr<const TrainedWork> trained;
  std::shared_ptr<const ServedWork> served;

  double seconds(const SoftwareScalars& scalars) const {
    return trained ? trained->seconds(scalars) : served->seconds(scalars);
  }
  double limit_s() const {
    return trained ? trained->limit_s() : served->limit_s();
  }
};

// Returns the rows as cases. `refused` gets the rows that the model cannot time, with the reason.
std::vector<FieldCase> field_cases(const std::vector<FieldRow>& rows, std::vector<std::string>& refused);

struct FieldFit {
  SoftwareScalars centre{};
  SoftwareScalars eager{};                 // centre of the stacks that launch kernels from the host
  std::map<std::string, Software> stacks;  // runs and sources are left 0
  double source_spread = 0;  // standard deviation of the logarithms between sources of one stack
  double error = 0;          // the same between runs of one source

  const SoftwareScalars& of(const std::string& stack) const;
};
FieldFit fit_field(const std::vector<const FieldCase*>& cases);

struct JudgedCase {
  const FieldCase* at = nullptr;
  double predicted_s = 0;  // fitted without the row's source
  double limit_s = 0;
  bool known_stack = false;
  double log_error() const;   // of measured over predicted
  double over_limit() const;  // log of predicted over limit
};
std::vector<JudgedCase> judge_field(const std::vector<FieldCase>& cases, const base::Progress& progress = {});

// Returns the table to ship: stacks fitted to all cases, and the errors of the judged ones. Intervals follow
// from these errors, so that runs which their own source calls slow are left out: an interval says what
// healthy runs reach.
SoftwareTable software_table(const std::vector<FieldCase>& cases, const std::vector<JudgedCase>& judged);

}  // namespace lento::predict
