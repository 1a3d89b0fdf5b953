// Determines what a mapping can show about the components of its chip: which ones it uses, and which links
// carry exactly the same flows so that no latency distinguishes them.
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
  int rank = -1;                          // of the matrix pairs x used links; -1: not computed, or too large
  // Directed links that the same pairs of cores and the same DRAM flows use: groups of two and more, by first
  // link.
  std::vector<std::vector<int>> alike;
};

// Transfers in an inference over one direction of a link. With fewer, a fault of the link is reported as one
// that may stay unseen in a short run (bench/results/2026-11-21/chip_table3_lento.csv).
inline constexpr uint64_t kFewTransfers = 10;

// The rank is not computed for more links, because the elimination is cubic.
inline constexpr int kMaxRankedLinks = 1024;

enum class LinkRank {
  Skip,
  Compute
};
Identifiability identify(const Program& program, const Grid& grid, LinkRank rank = LinkRank::Compute);

// Describes `seen` in sentences: components whose faults leave no trace, links whose faults may leave none in
// a short run, and links that cannot be distinguished. Empty when the mapping shows every component and
// distinguishes all links.
std::vector<std::string> blind_spots(const Identifiability& seen, const Grid& grid);

// Returns "Insufficient evidence: WHAT: NAME, NAME, ...", with the first of many names.
std::string insufficient_evidence(const std::string& what, const std::vector<std::string>& names);

}  // namespace lento::chip
