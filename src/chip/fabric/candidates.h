// The components that can be found slow, and the transfers that show each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/fabric/play.h"

namespace lento::chip {

struct CandidateClass {
  std::vector<std::string> members;
  std::vector<uint32_t> transfers;  // of Played::transfers, ascending: what every member carries
};

// Returns the candidates: links, ports and memories by the transfers on their servers, cores by all transfers
// that they issue or hold the data of. Candidates with the same transfers form one class. Classes are in the
// order of their first transfer.
std::vector<CandidateClass>
candidate_classes(const Fabric& fabric, const TransferTrace& trace, const Played& played);

}  // namespace lento::chip
