// Simulates a recorded program on a fabric. The result has the expected time of each of its transfers and
// waits.
//
// A healthy and a slow chip have the program in common: the begin of each core, the order of its transfers,
// and its waits. Model, event by event:
//   - a stream issues a transfer, then the next after the processor's own cycles
//   - a wait ends `completion_cycles` after the last of its transfers has arrived, and the stream goes on
//     `resume_cycles` after that (both in the sheet)
//   - a transfer whose own end is recorded is a wait of its own, and the stream waits for it only where its
//     next record begins after that end
//   - a read's request takes the network to the peer, behind the data on its links, and data comes back
//   - packets move by the rules of traffic.h
// Cost: one heap event per transfer and server. Times are kept in 1/64 cycles: same input, same result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/fabric.h"
#include "chip/fabric/traffic.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

// Decides when a stream issues its next transfer.
enum class Issue : uint8_t {
  Modelled,  // after the processor's own cycles, and after the modelled end of a wait
  Gaps,      // after the recorded gap since the previous step or the modelled end of a wait
  Stamps     // at the recorded time
};

struct PlayOptions {
  Issue issue = Issue::Modelled;
  std::vector<Slowdown> slow;
  double noise_cv = 0;  // coefficient of variation of link and memory times (gamma distributed, mean kept)
  uint64_t seed = 1;
};

struct PlayedTransfer {
  uint32_t stream = 0;
  uint32_t record = 0;
  int32_t route = -1;  // index into Played::routes
  // Both in cycles.
  double issue = 0;
  double arrival = 0;
};

struct PlayedWait {
  uint32_t stream = 0;
  uint32_t record = 0;
  double begin = 0;
  double end = 0;
  // The range of Played::transfers_of_waits.
  uint32_t first_transfer = 0;
  uint32_t transfers = 0;
};

struct Played {
  // The simulated period in cycles, from the begin of the first zone (a named part of a kernel), or of the
  // first record without zones, to the end of the last wait.
  double begin = 0;
  double end = 0;
  std::vector<PlayedTransfer> transfers;
  std::vector<PlayedWait> waits;
  std::vector<uint32_t> transfers_of_waits;  // indexes into `transfers`
  RouteTable routes;                         // servers of the data
  // Vectors by server: cycles in service, and cycles that packets waited before it.
  std::vector<double> busy;
  std::vector<double> waited;
  std::vector<uint64_t> bytes;  // by server
  uint64_t unplaced = 0;        // transfers without a tile, network or route on the fabric
};

Played play(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options = {});

}  // namespace lento::chip
