// Plays a recorded program on a fabric: how long each of its transfers and waits should take.
//
// The program is what a healthy and a slow chip share: which core begins when, what it moves in which order,
// what it waits for. Model, event by event:
//   - a stream issues a transfer, then the next after the processor's own cycles
//   - a wait ends when the last of its transfers has arrived; the stream goes on `resume_cycles` later
//   - a transfer whose own end is recorded is a wait of its own; the stream stands for it only where its next
//     record begins after that end
//   - a read's request takes the network to the peer, behind the data on its links; data comes back
//   - packets move as traffic.h says
// Cost: one heap event a transfer and server. Times are kept in 1/64 cycles: same input, same result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/fabric.h"
#include "chip/fabric/traffic.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

// When a stream goes on.
enum class Issue : uint8_t {
  Modelled,  // by the processor's own cycles, after the modelled end of a wait
  Gaps,      // as long after the step before, or after the modelled end of a wait, as recorded
  Stamps     // when the record says
};

struct PlayOptions {
  Issue issue = Issue::Modelled;
  std::vector<Slowdown> slow;
  double noise_cv = 0;  // Gamma-distributed service times of links and memories, mean kept
  uint64_t seed = 1;
};

struct PlayedTransfer {
  uint32_t stream = 0;
  uint32_t record = 0;
  int32_t route = -1;  // of Played::routes
  // cycles
  double issue = 0;
  double arrival = 0;
};

struct PlayedWait {
  uint32_t stream = 0;
  uint32_t record = 0;
  double begin = 0;
  double end = 0;
  // of Played::transfers_of_waits
  uint32_t first_transfer = 0;
  uint32_t transfers = 0;
};

struct Played {
  // first zone's (else first record's) begin; last wait's end
  double begin = 0;
  double end = 0;
  std::vector<PlayedTransfer> transfers;
  std::vector<PlayedWait> waits;
  std::vector<uint32_t> transfers_of_waits;  // indexes into `transfers`
  RouteTable routes;                         // servers of the data
  // by server: cycles taken, cycles that packets stood before it
  std::vector<double> busy;
  std::vector<double> waited;
  std::vector<uint64_t> bytes;  // by server
  uint64_t unplaced = 0;        // transfers of tiles, networks or ways that the fabric lacks
};

Played play(const Fabric& fabric, const TransferTrace& trace, const PlayOptions& options = {});

}  // namespace lento::chip
