// The results of the first pass over a trace: latencies, costs by line, blame by CPU and function. Memory is
// bounded by the limits below, not by the trace.
#pragma once

#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "memory/mine/cpu_set.h"
#include "memory/mine/extent.h"
#include "memory/mine/latency.h"
#include "memory/read/access_record.h"

namespace lento::memory {

inline constexpr size_t kMostLines = size_t{1} << 20;  // blocks whose cost is kept

// The reason why cycles were lost, as far as one access shows it.
enum class Loss : uint8_t {
  Contended = 0,  // another CPU had the line or the interconnect, or no cause is recorded
  Bank = 1,       // the bank was busy
  Remote = 2,     // memory of another node
  Queue = 3,      // local memory, beyond its unloaded latency
  Miss = 4,       // a miss in the CPU's cache that no other CPU caused
  Walk = 5,       // a missed translation of the page
};
inline constexpr size_t kLosses = 6;
using Losses = std::array<uint64_t, kLosses>;

// 128 bytes of a process, the largest cache line in which two accesses can conflict. Process is 0 where
// addresses are physical, of the kernel or of the only process.
struct BlockKey {
  uint64_t block = 0;
  uint16_t process = 0;
  bool operator==(const BlockKey&) const = default;
  bool operator<(const BlockKey& o) const {
    if (process != o.process)
      return process < o.process;
    return block < o.block;
  }
};
struct BlockHash {
  size_t operator()(const BlockKey& k) const {
    return (k.block * 0x9e3779b97f4a7c15ULL) ^ (k.block >> 29) ^ (uint64_t{k.process} << 40);
  }
};

struct Blame {
  uint64_t cycles = 0;
  uint64_t accesses = 0;
};

// Sums of a sampled trace: the latency of the samples of a piece of code, or of a block, for any reason.
struct Sampled {
  uint64_t latency = 0;
  uint64_t accesses = 0;
  // The instruction or the data of the slowest access.
  uint64_t address = 0;
  uint64_t worst = 0;
};

struct BlockCost {
  Losses cycles = {};
  uint64_t accesses = 0;  // that lost something
  uint64_t misses = 0;    // not served by the CPU's own cache
  uint64_t jumps = 0;     // misses at a multiple of kConflictStride lines from the thread's last miss
  uint64_t cpus = 0;      // bit c % 64: CPU c missed
  uint64_t address = 0;   // of the costliest access
  uint64_t worst = 0;     // its cost
};

// A uniform sample of at most 2^16 accesses with a latency, hits included, that estimates the share of the
// accesses to an object that miss. Access i is kept while a hash of i is below a limit, which is halved
// whenever the room is full. Hashing prevents a rhythm of the program from falling in step with the sampling.
class AccessSample {
 public:
  struct Kept {
    uint64_t address = 0;
    uint64_t number = 0;
    uint16_t process = 0;
    bool missed = false;
  };
  void add(const AccessRecord& r, bool missed) {
    const uint64_t number = seen_++;
    if (hash(number) > limit_)
      return;
    kept_.push_back({r.address, number, r.process, missed});
    if (kept_.size() < kMost)
      return;
    limit_ /= 2;
    std::erase_if(kept_, [&](const Kept& k) {
      return hash(k.number) > limit_;
    });
  }
  const std::vector<Kept>& kept() const {
    return kept_;
  }

  // Visits the members for the checkpoint, to write and to read them.
  template <class Way>
  void visit_with(Way&& way) {
    way(seen_, limit_, kept_);
  }
  template <class Way>
  void visit_with(Way&& way) const {
    way(seen_, limit_, kept_);
  }

 private:
  static constexpr size_t kMost = size_t{1} << 16;
  static uint64_t hash(uint64_t number) {
    return base::mix64(number);
  }

  uint64_t seen_ = 0;
  uint64_t limit_ = UINT64_MAX;
  std::vector<Kept> kept_;
};

struct CpuTime {
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  uint64_t accesses = 0;
  uint64_t latency = 0;
};

struct Scan {
  uint64_t events = 0;
  uint64_t trivial = 0;
  uint64_t no_latency = 0;
  uint64_t failed_sc = 0;
  uint64_t first_cycle = UINT64_MAX;
  uint64_t last_cycle = 0;
  Extent extent;
  uint64_t set_aside = 0;  // accesses whose time does not fit the others; nothing else counts them
  bool service_known = false;
  bool culprits_known = false;
  bool sampled = false;
  bool levels_known = false;  // records name the level that answered
  uint64_t local_hits = 0;    // accesses that the first cache answered
  uint64_t writes = 0;        // stores, atomics
  uint64_t slow = 0;          // lost something to a reason other than Loss::Miss
  uint64_t peers = 0;
  uint64_t remote = 0;
  uint64_t with_node = 0;
  uint64_t with_thread = 0;
  LatencyHistogram latencies;  // of non-trivial accesses
  std::array<LatencyHistogram, kAccessTypes> by_type;
  std::array<LatencyHistogram, kServices> by_service;
  std::array<uint64_t, kAccessTypes> excess_by_type = {};
  std::array<uint64_t, kDelayCauses> cycles_by_cause = {};
  std::array<double, kAccessTypes> baseline = {};       // uncontended latency: 10th percentile
  std::array<double, kServices> service_baseline = {};  // the same by level; L1 for peers
  // The latencies of accesses that no other CPU can have delayed (quiet.h), of all types and by type, and
  // the number of other accesses by type. Only filled for traces whose records name neither culprits nor
  // levels.
  LatencyHistogram quiet;
  std::array<LatencyHistogram, kAccessTypes> quiet_by_type;
  std::array<uint64_t, kAccessTypes> contended = {};
  Losses losses = {};
  uint64_t excess = 0;           // sum of Cost::cycles
  uint64_t latency_sum = 0;      // of all accesses
  uint64_t unnamed_latency = 0;  // of those that left the CPU for a place that the trace does not name
  std::unordered_map<BlockKey, BlockCost, BlockHash> blocks;  // data accesses only
  uint64_t blocks_dropped = 0;
  std::map<uint32_t, uint64_t> last_miss;  // line that it was in, by thread
  AccessSample sample;                     // of data accesses
  std::map<uint16_t, CpuTime> cpus;
  std::map<uint32_t, uint64_t> actors;                            // accesses by thread, else CPU
  std::map<uint16_t, uint64_t> processes;                         // accesses by process
  std::map<std::pair<uint32_t, uint32_t>, Blame> cpu_blame;       // (victim, culprit)
  std::map<std::pair<uint32_t, uint32_t>, Blame> function_blame;  // (victim, culprit)
  // The latency of sampled accesses, summed by function and by memory block (at most kMostLines blocks).
  std::map<uint32_t, Sampled> sampled_code;
  std::unordered_map<BlockKey, Sampled, BlockHash> sampled_data;

  double share_of_excess(uint64_t cycles) const {
    if (excess == 0)
      return 0;
    return std::min(1.0, double(cycles) / double(excess));
  }
  // Returns whether records name the CPU that delayed them, or the memory level that answered.
  bool has_reasons() const {
    return culprits_known || levels_known;
  }
  uint64_t duration() const {
    if (events == 0)
      return 0;
    return last_cycle - first_cycle + 1;
  }
  CpuSet cpu_set() const {
    CpuSet set;
    for (const auto& [cpu, time] : cpus)
      set.add(cpu);
    return set;
  }
};

}  // namespace lento::memory
