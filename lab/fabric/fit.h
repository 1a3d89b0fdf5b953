// Compares simulated transfer times with measured ones, and fits the few constants of a sheet that are
// unpublished.
//
// Traces are grouped in families (the name before "_TO_", and for DRAM the kind of target). A family is
// wholly in one half. The constants are fitted on one half by coordinate descent and judged on the other, in
// both directions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/read/transfer_record.h"
#include "spec/fabric_sheet.h"

namespace lento::chip {

struct NamedTrace {
  std::string name;
  std::string family;
  TransferTrace trace;
  double measured = 0;
};

std::string family_of(const std::string& name);

struct TimeError {
  std::string name;
  std::string family;
  // cycles
  double measured = 0;
  double predicted = 0;
  double with_stamps = 0;
  double held_out = 0;  // predicted with the constants fitted on the half that lacks this family
  double relative() const {
    return (predicted - measured) / measured;
  }
};

struct FabricFit {
  std::vector<TimeError> errors;
  spec::FabricSheet halves[2];  // fitted on families of even, odd place
  // Mean absolute relative errors.
  double fitted[2] = {0, 0};
  double held_out[2] = {0, 0};
};

// With `refit` false, `sheet` is used unchanged for all traces.
FabricFit fit_fabric(const spec::FabricSheet& sheet, const std::vector<NamedTrace>& traces, bool refit);

}  // namespace lento::chip
