// Lists the components that may be slow, and the transfers that pass each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/play.h"

namespace lento::chip {

struct CandidateClass {
  std::vector<std::string> members;
  std::vector<uint32_t> transfers;  // indices of Played::transfers, ascending, that pass every member
};

// Returns the cycles for which a packet of 2 KiB occupies a server, by which the servers of a class are
// compared.
double packet_cycles(const Server& server);

// Returns the candidates: links, ports and memories with the transfers that their servers carry, and cores
// with all transfers that they issue or whose data they hold. Candidates with the same transfers form one
// class. Classes are in the order of their first transfer.
std::vector<CandidateClass>
candidate_classes(const Fabric& fabric, const TransferTrace& trace, const Played& played);

}  // namespace lento::chip
