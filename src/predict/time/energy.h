// Estimates the energy of a workload when the data sheet gives the energy of operations and bytes.
#pragma once

#include <optional>

#include "predict/time/question.h"

namespace lento::predict {

// Operations and bytes of a workload, summed over all devices.
struct Work {
  Precision precision = Precision::Bf16;
  int devices = 1;
  double flops = 0;
  double cache_bytes = 0;
  double memory_bytes = 0;
  double link_bytes = 0;  // sent by all devices
};
Work work_of(const System& system, const Question& question);

struct Energy {  // J
  double arithmetic = 0;
  double operands = 0;  // moves between registers and memories of a unit
  double cache = 0;
  double memory = 0;
  double links = 0;
  double idle = 0;  // the idle share of the power budget over the run time
  double total() const {
    return arithmetic + operands + cache + memory + links + idle;
  }
};

// Returns nothing when the sheet gives neither the energy of an operation at this precision nor that of a
// byte.
std::optional<Energy> energy_breakdown(const System& system, const Work& work, double seconds);

}  // namespace lento::predict
