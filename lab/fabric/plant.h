// Plants slow components into recorded traces, and judges the traces.
//
// There are two recipes. Transfers: each transfer that passes the component takes `factor` times the time
// that the fabric gives it (simulated with the recorded issue times). A wait ends with the latest of its
// transfers, never earlier than recorded. All later stamps of the stream move by the same delay, and other
// streams are unchanged. Server: a server of the component is slow. The program is simulated with the
// recorded gaps once healthy and once slow, and each stamp moves by the difference. The error of the
// simulation against the recording is preserved.
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

// Slow transfers: `transfers[i]` takes `factors[i]` times as long.
struct SlowTransfers {
  std::vector<uint32_t> transfers;
  std::vector<double> factors;
};
SlowTransfers slow_transfers(const std::vector<uint32_t>& transfers, double factor);

Planted
plant(const Fabric& fabric, const TransferTrace& trace, const Played& played, const SlowTransfers& slow);

// Plants a slow server of this name, or the slow memory of a component.
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
  bool exact = false;  // the planted class is named, alone
  bool among = false;  // named together with classes that leave the same records
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

// Returns the untouched trace first (kind "none"), then the planted ones. Those that are not counted are
// listed and not judged.
std::vector<PlantCase>
plant_cases(const Fabric& fabric, const std::string& file, const TransferTrace& trace, const PlantPlan& plan);

}  // namespace lento::chip
