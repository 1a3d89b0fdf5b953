// Slow components planted into recorded traces, and what the judgement makes of them.
//
// The recipe: every transfer that the component carries takes `factor` times the time that the fabric gives
// it (played with the recorded issue times); a wait ends with the latest of its transfers, never earlier than
// recorded; all later stamps of the stream move by as much. Other streams are left as they are: what slower
// transfers would do to the rest of the traffic is not known of a recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/fabric.h"
#include "trace/transfer_record.h"

namespace lento::chip {

struct Planted {
  trace::TransferTrace trace;
  uint32_t moved = 0;   // waits that end later
  uint32_t beyond = 0;  // of them by more than the 95th percentile of equal waits' own differences
};

// What is slow: `factors[i]` is how much longer `transfers[i]` takes.
struct SlowTransfers {
  std::vector<uint32_t> transfers;
  std::vector<double> factors;
};
SlowTransfers slow_transfers(const std::vector<uint32_t>& transfers, double factor);

Planted plant(
    const Fabric& fabric,
    const trace::TransferTrace& trace,
    const Played& played,
    const SlowTransfers& slow);

struct PlantCase {
  // link, port, core
  std::string file;
  std::string kind;
  std::vector<std::string> planted;
  double factor = 1;
  uint32_t moved = 0;
  uint32_t beyond = 0;
  bool judged = false;
  bool counted = false;
  bool exact = false;  // the planted class blamed, alone
  bool among = false;  // blamed together with classes whose plant gives the very same records
  bool accused = false;
  std::string blamed;
  double blamed_factor = 1;
  double evidence = 0;
  double runner_up = 0;
  double spread = 0;
};

struct PlantPlan {
  std::vector<double> factors = {1.5, 2, 5};
  uint32_t per_kind = 4;     // classes drawn a trace and kind
  uint32_t least_moved = 8;  // waits beyond the percentile: fewer are listed, not counted
  double time_error = 0;     // of each slow transfer, standard deviation of the logarithm
  uint64_t seed = 1;
};

// The untouched trace first (kind "none"), then the plants.
std::vector<PlantCase> plant_cases(
    const Fabric& fabric,
    const std::string& file,
    const trace::TransferTrace& trace,
    const PlantPlan& plan);

}  // namespace lento::chip
