// What a mapping can show about the components of its chip: which ones it uses at all, and which links carry
// exactly the same flows, so that no latency can tell them apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/map/grid.h"
#include "chip/map/program.h"

namespace lento::chip {

struct Identifiability {
  std::vector<uint64_t> core_operations;  // by core, one inference
  std::vector<uint64_t> unit_bytes;       // by core: through its memory unit
  std::vector<uint64_t> port_bytes;       // by DRAM port
  std::vector<uint64_t> message_bytes;    // by directed link: core to core
  std::vector<uint64_t> dram_bytes;       // by directed link: to and from DRAM ports
  std::vector<uint64_t> transfers;        // by directed link, one inference: messages, reads and writes
  int pairs = 0;                          // core pairs that exchange messages
  int used_links = 0;                     // directed links that messages use
  int rank = -1;                          // of the matrix pairs x used links; -1: not asked for, or too large
  // Directed links that the same pairs and the same DRAM flows use; groups of two and more, by first link.
  std::vector<std::vector<int>> alike;
};

// Transfers of a slow component below which a verdict is not counted
// (bench/results/2026-11-21/chip_table3_lento.csv).
inline constexpr uint64_t kFewTransfers = 10;

// Links beyond this number are not ranked (the elimination is cubic).
inline constexpr int kMaxRankedLinks = 1024;

enum class LinkRank {
  Skip,
  Compute
};
Identifiability identify(const Program& program, const Grid& grid, LinkRank rank = LinkRank::Compute);

// The same in sentences: components of which no fault can be seen, links of which one may stay unseen in a
// short run, and links that cannot be told apart. Empty when the mapping shows every component and tells all
// links apart.
std::vector<std::string> blind_spots(const Identifiability& seen, const Grid& grid);

// "Insufficient evidence: WHAT: NAME, NAME, ...", of many names the first.
std::string insufficient_evidence(const std::string& what, const std::vector<std::string>& names);

}  // namespace lento::chip
