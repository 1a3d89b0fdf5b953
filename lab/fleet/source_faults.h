// Judges a watch over a store with faults: a simulated store and clock, a job with its truth, thousands of
// cases without waiting. A case is one interval of scrapes and one kind of trouble. Machines that slow down
// (-15 %) or fall silent are planted before, during and after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "finding/figure.h"

namespace lento::fleet {

enum class Trouble {
  None,
  Outage,       // the store is away and takes no samples; 30 to 400 s
  Delay,        // samples can be read 5 to 90 s late
  HalfAnswers,  // answers hold a random half of the machines for a while
  Restart,      // the watch is killed and started again, with its state
  ClockStep,    // the wall clock of the watch jumps
  Renamed,      // all machines get other names
  Replaced,     // one machine leaves, another comes; the new one falls silent later
  Added,
  Removed,
  Flapping,  // one target is up and down in turn
};
inline constexpr int kTroubles = 11;
const char* name(Trouble trouble);

struct FaultCase {
  uint64_t seed = 1;
  uint64_t index = 0;
  int step_s = 1;
  Trouble trouble = Trouble::None;
  bool knows_up = true;  // the store has `up`
};
FaultCase fault_case(uint64_t seed, uint64_t index);

struct CaseResult {
  int false_silent = 0;
  int false_deviating = 0;
  int false_hooks = 0;
  int doubled_hooks = 0;
  // in time
  int planted = 0;
  int named = 0;
  // in time
  int blind_wanted = 0;
  int blind_told = 0;
  int flap_alerts = 0;
  std::vector<double> margin_s;  // what was left of the bar when each planted one was named
  std::vector<std::string> story;
};
CaseResult run_case(const FaultCase& c);

// All cases as a table: a row per trouble, then the sum.
finding::TableFigure
measure_source_faults(uint64_t seed, uint64_t cases, unsigned threads, const base::Progress& progress);

}  // namespace lento::fleet
