// The passes over a trace. Pass 1: latencies, cost by line, blame by CPU and function (costs take a pass of
// their own when the trace names no culprits). Pass 2: windows as transactions, and the hottest lines byte by
// byte.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/mine/contention.h"
#include "memory/mine/functions.h"
#include "memory/mine/scan_state.h"
#include "memory/mine/sharing.h"
#include "memory/mine/tuning.h"
#include "memory/mine/window.h"

namespace lento::memory {

bool passes(const AccessFilter& filter, const AccessRecord& r, Functions& functions);

// Returns whether an access was served without leaving the CPU, as far as the source records it.
inline bool is_trivial(const AccessRecord& r) {
  return r.trivial() || (!(r.flags & memory::AccessRecord::kServiceKnown) && r.latency <= 1);
}

// Returns whether an access that did not wait was served beyond the first cache, behind other misses.
inline bool is_hidden_miss(const AccessRecord& r) {
  return is_trivial(r) && r.service != memory::Service::Unknown && r.service != memory::Service::L1;
}

// Kernel addresses are the same in all processes, so their blocks have process 0.
inline BlockKey block_of(const AccessRecord& r) {
  const bool kernel = r.address >> 63;
  return {r.address / tuning::kBlockBytes, kernel ? uint16_t{0} : r.process};
}

// Returns whether an access left the CPU for a place that the trace does not name.
inline bool went_unnamed(const AccessRecord& r) {
  const bool left = (r.flags & memory::AccessRecord::kServiceKnown) && !is_trivial(r);
  return left && r.service == memory::Service::Unknown;
}

// The cycles that an access lost, each counted for one cause.
struct Cost {
  Loss loss = Loss::Contended;
  uint64_t cycles = 0;  // of that loss
  uint64_t miss = 0;    // of Loss::Miss
  uint64_t remote = 0;  // of Loss::Remote, beside `loss`
  uint64_t walk = 0;    // of Loss::Walk
};
Cost cost_of(const AccessRecord& r, const Scan& scan);

// Returns the cycles beyond what the access would have taken alone.
inline uint64_t excess_of(const AccessRecord& r, const Scan& scan) {
  return cost_of(r, scan).cycles;
}

Scan scan_trace(
    const OpenTrace& open,
    const ContentionOptions& options,
    Functions& functions,
    base::ReadReport& report);

// Counts of one window, ready for mining.
struct WindowFacts {
  std::vector<uint32_t> items;  // rising, distinct
  uint64_t excess = 0;
  struct Range {
    uint32_t function;
    uint64_t low;
    uint64_t high;
    uint16_t process = 0;
  };
  std::vector<Range> ranges;  // of each function's non-trivial accesses
  struct Pair {
    uint32_t victim;
    uint32_t culprit;
    uint64_t cycles;
  };
  std::vector<Pair> blame;
  std::vector<uint32_t> runs;  // functions that run in it, waiting or not; rising
  CpuSet cpus;
  uint64_t seed = 0;
};

// Latencies of at least this value, in the unit of the trace, share the last latency bin of the items.
inline constexpr uint32_t kLastLatency = 250;

// Gives numbers to the items of transactions.
class Items {
 public:
  enum class Kind : uint8_t {
    Function,
    CpuFunction,
    Latency,
    Line,
    Type,
    CpuType,
    CpuLatency
  };
  uint32_t of(Kind kind, uint32_t cpu, uint64_t value);
  struct Item {
    Kind kind;
    uint32_t cpu;
    uint64_t value;
  };
  const Item& item(uint32_t id) const {
    return items_[id];
  }
  size_t size() const {
    return items_.size();
  }

 private:
  std::unordered_map<uint64_t, uint32_t> ids_;
  std::vector<Item> items_;
};

struct WindowScan {
  double threshold = 0;
  bool sliced = false;  // a sampled trace: windows are the samples of one slice of time on one object
  std::vector<WindowFacts> windows;
  std::vector<WindowFacts> controls;
  uint64_t window_count = 0;    // all, also those not kept
  uint64_t covered_cycles = 0;  // union of the windows
  uint64_t covered_events = 0;
  uint64_t high_events = 0;
  uint64_t keep_every = 1;
  std::vector<HotBlock> hot;                // by falling excess
  uint64_t uses_dropped = 0;                // accesses to hot blocks beyond tuning::kMostUses
  std::map<uint64_t, uint64_t> pc_windows;  // windows in which a pc appears (of those kept)
  Items items;
};

WindowScan scan_windows(
    const OpenTrace& open,
    const ContentionOptions& options,
    const Scan& scan,
    Functions& functions,
    base::ReadReport& report);

}  // namespace lento::memory
