// What the accesses to a hot line say of why it is hot.
#include <algorithm>
#include <bit>
#include <map>

#include "memory/mine/contention_scan.h"

namespace lento::memory {

int HotLine::cpus() const {
  uint64_t mask = 0;
  for (const auto& [where, use] : uses) mask |= uint64_t{1} << std::min(where.second, 63u);
  return std::popcount(mask);
}

double HotLine::private_share() const {
  std::map<uint32_t, uint64_t> best;
  for (const auto& [where, use] : uses) {
    uint64_t& b = best[where.first];
    b = std::max(b, use.reads + use.writes);
  }
  uint64_t kept = 0;
  for (const auto& [offset, n] : best) kept += n;
  return accesses == 0 ? 1 : static_cast<double>(kept) / static_cast<double>(accesses);
}

// Accesses to words that several CPUs take with atomics, and write otherwise at most to give back: lock
// words, however long they are watched by plain loads.
uint64_t HotLine::lock_accesses() const {
  struct Word {
    uint64_t accesses = 0, atomics = 0, writes = 0;
    int takers = 0;
  };
  std::map<uint32_t, Word> words;
  for (const auto& [where, use] : uses) {
    Word& word = words[where.first];
    word.accesses += use.reads + use.writes;
    word.atomics += use.atomics;
    word.writes += use.writes;
    word.takers += use.atomics > 0;
  }
  uint64_t total = 0;
  for (const auto& [offset, word] : words) {
    if (word.takers >= 2 && word.writes <= 3 * word.atomics) total += word.accesses;
  }
  return total;
}

std::string HotLine::cause() const {
  const double total = static_cast<double>(std::max<uint64_t>(1, accesses));
  if (cpus() >= 2 && 2 * lock_accesses() >= accesses && accesses > 0) return "lock";
  if (cpus() >= 2 && static_cast<double>(writes) >= 0.01 * total) {
    return private_share() >= 0.9 ? "false sharing" : "true sharing";
  }
  const auto cycles = [&](trace::DelayCause c) { return by_cause[static_cast<size_t>(c)]; };
  if (cycles(trace::DelayCause::Bank) * 2 > excess) return "bank or set conflict";
  return "saturation";
}

}  // namespace lento::memory
