// What can be blamed, and by which transfers it can be seen.
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

// Links, ports, memories by their servers; cores by all transfers that they ask for or hold the data of.
// Candidates with the same transfers form one class; classes in the order of their first transfer.
std::vector<CandidateClass>
candidate_classes(const Fabric& fabric, const TransferTrace& trace, const Played& played);

}  // namespace lento::chip
