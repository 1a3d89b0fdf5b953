// What the passes over a trace collect. Pass 1: latencies, cost by line, who delays whom (costs in a
// pass of their own when the trace knows no culprits). Pass 2: windows as transactions, and the hottest lines
// word by word. Memory is bounded by the limits below, not by the trace.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/mine/latency.h"
#include "memory/mine/window.h"

namespace lento::memory {

inline constexpr size_t kMostLines = size_t{1} << 20;  // lines whose cost is kept
inline constexpr size_t kHotLines = 64;                // lines looked at word by word
inline constexpr size_t kMostFunctions = size_t{1} << 16;
inline constexpr int kMostCpus = 64;  // CPUs told apart in tables

// A code address -> a small number for its function, and names for both.
class Functions {
 public:
  explicit Functions(const trace::Symbols* symbols) : symbols_(symbols) {}
  uint32_t of(uint64_t pc);
  uint32_t others();  // stands for all functions beyond kMostFunctions
  const std::string& name(uint32_t function) const { return names_[function]; }
  size_t size() const { return names_.size(); }

  // All functions seen, by number: start and name; and back.
  std::vector<std::pair<uint64_t, std::string>> known() const;
  void add(uint64_t start, std::string name);

 private:
  const trace::Symbols* symbols_;
  std::unordered_map<uint64_t, uint32_t> by_start_;
  std::vector<std::string> names_;
  static constexpr uint64_t kOthers = UINT64_MAX;  // where no function starts
  uint64_t low_ = 1, high_ = 0;                    // the function last seen
  uint32_t last_ = 0;
};

struct Blame {
  uint64_t cycles = 0, accesses = 0;
};

struct LineCost {
  uint64_t excess = 0, bank = 0, accesses = 0;
};

struct Scan {
  uint64_t events = 0, trivial = 0, no_latency = 0, failed_sc = 0;
  uint64_t first_cycle = UINT64_MAX, last_cycle = 0;
  bool service_known = false, culprits_known = false, sampled = false;
  uint64_t cpus = 0;           // bit c: CPU c made accesses
  LatencyHistogram latencies;  // of non-trivial accesses
  std::array<LatencyHistogram, trace::kAccessTypes> by_type;
  std::array<uint64_t, trace::kAccessTypes> excess_by_type = {};
  std::array<uint64_t, trace::kDelayCauses> cycles_by_cause = {};
  std::array<double, trace::kAccessTypes> baseline = {};  // uncontended latency: 10th percentile
  uint64_t excess = 0;
  std::unordered_map<uint64_t, LineCost> lines;  // by line number; data accesses only
  uint64_t lines_dropped = 0;
  std::map<std::pair<uint32_t, uint32_t>, Blame> cpu_blame;       // (victim, culprit)
  std::map<std::pair<uint32_t, uint32_t>, Blame> function_blame;  // (victim, culprit)

  double share_of_excess(uint64_t cycles) const {
    return excess == 0 ? 0 : std::min(1.0, static_cast<double>(cycles) / static_cast<double>(excess));
  }
  double sampled_cycles() const;  // latency of all accesses
  uint64_t duration() const { return events == 0 ? 0 : last_cycle - first_cycle + 1; }
};

bool passes(const AccessFilter& filter, const trace::AccessRecord& r, Functions& functions);

// Whether an access was served without leaving the CPU, as far as the source tells.
inline bool is_trivial(const trace::AccessRecord& r) {
  return r.trivial() || (!(r.flags & trace::AccessRecord::kServiceKnown) && r.latency <= 1);
}

// Cycles beyond what the access would have taken alone.
inline uint64_t excess_of(const trace::AccessRecord& r, const Scan& scan) {
  if (r.latency == trace::AccessRecord::kNoLatency) return 0;
  if (scan.culprits_known) return r.culprit == trace::AccessRecord::kNoCpu ? 0 : r.blamed;
  const double over = static_cast<double>(r.latency) - scan.baseline[static_cast<size_t>(r.type)];
  return over > 0 && !is_trivial(r) ? static_cast<uint64_t>(over) : 0;
}

Scan scan_trace(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                base::ReadReport& report);

// One hot line, word by word.
struct HotLine {
  struct Use {
    uint64_t reads = 0, writes = 0, atomics = 0, excess = 0;
    uint64_t pc = 0;  // of the costliest access
    uint64_t pc_excess = 0;
  };
  uint64_t line = 0;
  uint64_t excess = 0, accesses = 0, high = 0, failed_sc = 0, atomics = 0, writes = 0;
  std::array<uint64_t, trace::kDelayCauses> by_cause = {};
  std::map<std::pair<uint32_t, uint32_t>, Use> uses;  // (byte offset, cpu)
  int cpus() const;
  // Share of accesses made by the main CPU of each byte offset: 1 when no offset is shared.
  double private_share() const;
  uint64_t lock_accesses() const;
  std::string cause() const;
};

// Counts of one window, ready for mining.
struct WindowFacts {
  std::vector<uint32_t> items;  // rising, distinct
  uint64_t excess = 0;
  struct Range {
    uint32_t function;
    uint64_t low, high;
  };
  std::vector<Range> ranges;  // of the non-trivial accesses
  struct Pair {
    uint32_t victim, culprit;
    uint64_t cycles;
  };
  std::vector<Pair> blame;
  std::vector<uint32_t> runs;  // functions that run in it, waiting or not; rising
  uint64_t cpus = 0;
  uint64_t seed = 0;
};

// Items of transactions and their names.
class Items {
 public:
  enum class Kind : uint8_t { Function, CpuFunction, Latency, Line, Type, CpuType, CpuLatency };
  uint32_t of(Kind kind, uint32_t cpu, uint64_t value);
  struct Item {
    Kind kind;
    uint32_t cpu;
    uint64_t value;
  };
  const Item& item(uint32_t id) const { return items_[id]; }
  size_t size() const { return items_.size(); }

 private:
  std::unordered_map<uint64_t, uint32_t> ids_;
  std::vector<Item> items_;
};

struct WindowScan {
  double threshold = 0;
  bool sliced = false;  // a sampled trace: windows are the samples of one slice of time on one object
  std::vector<WindowFacts> windows, controls;
  uint64_t window_count = 0;    // all, also those not kept
  uint64_t covered_cycles = 0;  // union of the windows
  uint64_t covered_events = 0, high_events = 0;
  uint64_t keep_every = 1;
  std::vector<HotLine> hot_lines;           // by falling excess
  std::map<uint64_t, uint64_t> pc_windows;  // windows in which a pc appears (of those kept)
  Items items;
};

WindowScan scan_windows(const OpenTrace& open, const ContentionOptions& options, const Scan& scan,
                        Functions& functions, base::ReadReport& report);

}  // namespace lento::memory
