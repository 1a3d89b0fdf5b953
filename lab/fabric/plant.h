// Slow components planted into recorded traces, and what the judgement makes of them.
//
// Two recipes. Transfers: each that the component carries takes `factor` times the time that the fabric gives
// it (played with the recorded issue times); a wait ends with the latest of its transfers, never earlier than
// recorded; all later stamps of the stream move by as much, other streams are left as they are. Server: a
// server of the component is slow, the fabric plays the program with the recorded gaps once healthy and once
// so, and each stamp moves by the difference of the two; what the recording missed the fabric by, it keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/candidates.h"
#include "chip/fabric/fabric.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

struct Planted {
  TransferTrace trace;
  uint32_t moved = 0;   // waits that end later
  uint32_t beyond = 0;  // of them by more than the 95th percentile of equal waits' own differences
};

// What is slow: `factors[i]` is how much longer `transfers[i]` takes.
struct SlowTransfers {
  std::vector<uint32_t> transfers;
  std::vector<double> factors;
};
SlowTransfers slow_transfers(const std::vector<uint32_t>& transfers, double factor);

Planted
plant(const Fabric& fabric, const TransferTrace& trace, const Played& played, const SlowTransfers& slow);

// With the server of this name slow, or a component's memory.
Planted plant_server(
    const Fabric& fabric,
    const TransferTrace& trace,
    const Played& played,
    const std::string& name,
    double factor);

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
  bool among = false;  // blamed together with classes that leave the same records, as the judgement says
  bool same = false;   // among, and each of these, planted in its place, makes the very same records
  bool accused = false;
  std::string blamed;
  double blamed_factor = 1;
  double evidence = 0;
  double runner_up = 0;
  double spread = 0;
};

enum class PlantModel : uint8_t {
  Transfers,
  Server
};

struct PlantPlan {
  PlantModel model = PlantModel::Transfers;
  std::vector<double> factors = {1.5, 2, 5};
  uint32_t per_kind = 4;     // classes drawn a trace and kind
  uint32_t least_moved = 8;  // waits beyond the percentile: fewer are listed, not counted
  double time_error = 0;     // of each slow transfer, standard deviation of the logarithm
  uint64_t seed = 1;
};

// The untouched trace first (kind "none"), then the plants. Those that are not counted are listed, not
// judged.
std::vector<PlantCase>
plant_cases(const Fabric& fabric, const std::string& file, const TransferTrace& trace, const PlantPlan& plan);

}  // namespace lento::chip
