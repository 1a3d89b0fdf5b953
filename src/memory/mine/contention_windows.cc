// The second pass: collects windows around accesses of high latency, and control windows around random cycles
// for comparison. Each window becomes a transaction of items. The hottest blocks are recorded byte by byte on
// the way. Memory is bounded: at most max_windows windows, kMostControls controls and kMostUses byte ranges.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rng.h"
#include "memory/mine/contention_records.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory {
namespace {

constexpr size_t kMostControls = 20000;
constexpr size_t kMinedLines = 8;  // hot blocks that are items
constexpr size_t kMostPcs = size_t{1} << 20;

// Draws the centres of the control windows: one random cycle in each of equal strata of the run.
std::vector<uint64_t> control_centres(const Scan& scan, const ContentionOptions& options) {
  const uint64_t count =
      std::min<uint64_t>(kMostControls, scan.duration() / std::max<uint64_t>(1, options.window));
  std::vector<uint64_t> centres;
  base::Rng rng(options.seed, "memory.control");
  for (uint64_t k = 0; k < count; ++k) {
    const double width = double(scan.duration()) / double(count);
    centres.push_back(scan.first_cycle + uint64_t(width * (double(k) + rng.uniform())));
  }
  return centres;
}

// Counts the windows in which each pc appears. Open addressing, because every event is looked up.
class PcWindows {
 public:
  // Counts a window once however often the pc appears in it, and returns true the first time. Windows are
  // numbered from 1.
  bool count_once(uint64_t pc, uint64_t window) {
    size_t at = (pc * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
    while (slots_[at].windows != 0 && slots_[at].pc != pc)
      at = (at + 1) & mask_;
    Slot& slot = slots_[at];
    if (slot.last == window)
      return false;
    if (slot.windows == 0) {
      if (used_ == kMostPcs)
        return false;
      slot.pc = pc;
      ++used_;
    }
    slot.last = window;
    ++slot.windows;
    if (2 * used_ > mask_)
      grow();
    return true;
  }
  template <class Use>
  void each(Use&& use) const {
    for (const Slot& slot : slots_) {
      if (slot.windows > 0)
        use(slot.pc, slot.windows);
    }
  }

 private:
  struct Slot {
    uint64_t pc = 0;
    uint64_t last = 0;
    uint64_t windows = 0;
  };
  // Doubles the hash table.
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.windows == 0)
        continue;
      size_t at = (slot.pc * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
      while (slots_[at].windows != 0)
        at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
  size_t mask_ = slots_.size() - 1;
  size_t used_ = 0;
};

// Collects the functions that run in a window, and counts the windows in which each pc runs.
class RunsIn {
 public:
  explicit RunsIn(Functions& functions)
      : functions_(functions) {
  }

  std::vector<uint32_t> add(const Window& w) {
    std::vector<uint32_t> runs;
    ++number_;
    for (const AccessRecord& r : w.events) {
      // Processes may run different code at one address, so the process is part of the key.
      if (!pcs.count_once(r.pc ^ uint64_t{r.process} << 48, number_))
        continue;
      const uint32_t function = functions_.of(r.process, r.pc);
      if (function >= last_.size())
        last_.resize(function + 1u);
      if (last_[function] != number_)
        runs.push_back(function);
      last_[function] = number_;
    }
    std::ranges::sort(runs);
    return runs;
  }

  PcWindows pcs;

 private:
  Functions& functions_;
  std::vector<uint64_t> last_;  // by function: the window that saw it last
  uint64_t number_ = 0;
};

class SecondPass {
 public:
  SecondPass(const Scan& scan, const ContentionOptions& options, Functions& functions, WindowScan& out)
      : scan_(scan),
        options_(options),
        functions_(functions),
        out_(out),
        windows_(
            options.window,
            options.literal,
            [this](const Window& w) {
              take_window(w);
            }),
        controls_(
            options.window,
            options.paper ? std::vector<uint64_t>{} : control_centres(scan, options),
            [this](const Window& w) {
              take_control(w);
            }),
        slices_(
            options.slice ? options.slice : std::max<uint64_t>(1, scan.duration() / 100),
            options.object_bytes ? options.object_bytes : tuning::kBlockBytes,
            [this](const Window& w) {
              take_group(w);
            },
            [this](const Window& w) {
              take_control(w);
            }) {
    out_.sliced = scan.sampled && !options.paper && !options.literal;
    pick_hot_blocks();
  }

  void add(const AccessRecord& r) {
    const bool high =
        r.latency != AccessRecord::kNoLatency && !is_trivial(r) && double(r.latency) >= out_.threshold;
    out_.high_events += high;
    if (out_.sliced) {
      slices_.add(r, high);
    } else {
      windows_.add(r, high);
      if (!options_.paper)
        controls_.add(r);
    }
    if (r.type != AccessType::Fetch && !hot_.empty())
      use_block(r, high);
  }

  void finish() {
    windows_.finish();
    controls_.finish();
    slices_.finish();
    in_windows_.pcs.each([&](uint64_t pc, uint64_t windows) {
      out_.pc_windows[pc] = windows;
    });
  }

 private:
  // Chooses the memory blocks with most excess cycles, whose uses are kept in detail.
  void pick_hot_blocks() {
    std::vector<std::pair<uint64_t, BlockKey>> cost;
    for (const auto& [key, c] : scan_.blocks) {
      const uint64_t excess = c.cycles[size_t(Loss::Contended)];
      if (excess > 0)
        cost.emplace_back(excess, key);
    }
    std::ranges::sort(cost, [](const auto& a, const auto& b) {
      if (a.first != b.first)
        return a.first > b.first;
      return a.second < b.second;
    });
    cost.resize(std::min(cost.size(), tuning::kHotBlocks));
    for (const auto& [excess, key] : cost) {
      hot_[key] = out_.hot.size();
      out_.hot.emplace_back();
      out_.hot.back().key = key;
      out_.hot.back().excess = excess;
    }
  }

  // Adds an access to the uses of its block when the block is one of the costliest.
  void use_block(const AccessRecord& r, bool high) {
    const auto found = hot_.find(block_of(r));
    if (found == hot_.end())
      return;
    HotBlock& block = out_.hot[found->second];
    const uint32_t offset = uint32_t(r.address % tuning::kBlockBytes);
    const uint32_t size = std::min<uint32_t>(std::max<uint32_t>(1, r.size), tuning::kBlockBytes - offset);
    const uint64_t key = HotBlock::use_key(r.actor(), offset, size);
    auto at = block.uses.find(key);
    if (at == block.uses.end()) {
      if (uses_ == tuning::kMostUses) {
        ++out_.uses_dropped;
        return;
      }
      ++uses_;
      at = block.uses.emplace(key, Use{}).first;
      at->second.offset = offset;
      at->second.size = size;
      at->second.actor = r.actor();
      at->second.pc = r.pc;
    }
    const bool same = std::exchange(block.last[r.actor()], r.type == AccessType::Load ? key : 0) == key;
    add_use(r, high, same && scan_.culprits_known && !scan_.sampled, at->second);
  }

  // Adds an access to one use of a block (thread, offset and size). `repeats`: it loads what the thread's
  // last access to the block loaded.
  void add_use(const AccessRecord& r, bool high, bool repeats, Use& use) const {
    const bool write = r.writes() && !(r.flags & AccessRecord::kFailed);
    const Cost cost = cost_of(r, scan_);
    const uint64_t excess = cost.loss == Loss::Contended ? cost.cycles : 0;
    use.cpu = r.cpu;
    use.node = r.node;
    ++(write ? use.writes : use.reads);
    use.atomics += r.is_atomic();
    use.updates += (r.flags & AccessRecord::kUpdate) != 0;
    use.downs += (r.flags & AccessRecord::kDown) != 0;
    use.compares += (r.flags & AccessRecord::kCompare) != 0;
    use.guarded += (r.flags & AccessRecord::kGuarded) != 0;
    use.paired += r.type == AccessType::LoadLinked || r.type == AccessType::StoreConditional;
    const bool taken = r.cause == memory::DelayCause::Coherence;
    use.peers += taken || r.service == Service::LocalPeer || r.service == Service::RemotePeer;
    use.remote_peers += r.service == Service::RemotePeer;
    use.excess += excess;
    use.high += high;
    use.slow += excess > 0;
    use.polls += repeats && excess == 0;
    use.latency += r.latency == AccessRecord::kNoLatency ? 0 : r.latency;
    use.several_pcs |= r.pc != use.pc;
    if (excess <= use.pc_excess)
      return;
    use.pc = r.pc;
    use.pc_excess = excess;
  }

  // Takes a finished window. Overlapping parts are counted once.
  void take_window(const Window& w) {
    const uint64_t begin = any_ && w.begin <= covered_until_ ? covered_until_ + 1 : w.begin;
    out_.covered_cycles += w.end >= begin ? w.end - begin + 1 : 0;
    for (const AccessRecord& r : w.events)
      out_.covered_events += !any_ || r.cycle > covered_until_;
    covered_until_ = w.end;
    any_ = true;
    keep_window(w);
  }

  // Groups of one slice share its time, which is counted once.
  void take_group(const Window& w) {
    out_.covered_cycles += !any_ || w.begin > covered_until_ ? w.end - w.begin + 1 : 0;
    out_.covered_events += w.events.size();
    covered_until_ = w.end;
    any_ = true;
    keep_window(w);
  }

  void take_control(const Window& w) {
    if (out_.controls.size() == options_.max_windows)
      return;
    out_.controls.push_back(facts(w));
    out_.controls.back().runs = in_controls_.add(w);
  }

  // Keeps a window. When too many are kept, every second one is dropped.
  void keep_window(const Window& w) {
    if (out_.window_count++ % out_.keep_every != 0)
      return;
    out_.windows.push_back(facts(w));
    out_.windows.back().runs = in_windows_.add(w);
    if (out_.windows.size() < options_.max_windows)
      return;
    for (size_t i = 0; 2 * i < out_.windows.size(); ++i)
      out_.windows[i] = std::move(out_.windows[2 * i]);
    out_.windows.resize((out_.windows.size() + 1) / 2);
    out_.keep_every *= 2;
  }

  // Returns the items of a window and the sums over its accesses.
  WindowFacts facts(const Window& w) {
    WindowFacts facts;
    facts.seed = w.seed;
    range_of_.clear(), pair_of_.clear();
    for (const AccessRecord& r : w.events)
      add_facts(r, facts);
    std::ranges::sort(facts.items);
    facts.items.erase(std::unique(facts.items.begin(), facts.items.end()), facts.items.end());
    return facts;
  }

  // Adds the items and costs of one access. Items are the function, a high latency's bin and the hot line.
  // With `paper` they are function, type and latency bin, alone and with the CPU.
  void add_facts(const AccessRecord& r, WindowFacts& facts) {
    using Kind = Items::Kind;
    const bool trivial = is_trivial(r);
    if (trivial && !options_.paper)
      return;
    const uint32_t function = functions_.of(r.process, r.pc);
    const uint64_t bin =
        r.latency == AccessRecord::kNoLatency ? 0 : std::min(r.latency, kLastLatency) / options_.bins;
    if (options_.paper) {
      add_item(Kind::Function, Kind::CpuFunction, r.cpu, function, facts);
      add_item(Kind::Type, Kind::CpuType, r.cpu, uint64_t(r.type), facts);
      add_item(Kind::Latency, Kind::CpuLatency, r.cpu, bin, facts);
    } else {
      facts.items.push_back(out_.items.of(Kind::Function, 0, function));
    }
    if (!options_.paper && double(r.latency) >= out_.threshold && r.latency != AccessRecord::kNoLatency) {
      facts.items.push_back(out_.items.of(Kind::Latency, 0, bin));
    }
    if (trivial)
      return;
    facts.cpus.add(r.cpu);
    const auto hot = hot_.find(block_of(r));
    if (!options_.paper && r.type != AccessType::Fetch && hot != hot_.end() && hot->second < kMinedLines) {
      facts.items.push_back(out_.items.of(Kind::Line, 0, hot->second));
    }
    const auto [range_at, new_range] = range_of_.emplace(function, facts.ranges.size());
    if (new_range)
      facts.ranges.push_back({function, r.pc, r.pc, r.process});
    WindowFacts::Range& range = facts.ranges[range_at->second];
    range.low = std::min(range.low, r.pc);
    range.high = std::max(range.high, r.pc);
    const uint64_t excess = excess_of(r, scan_);
    facts.excess += excess;
    if (r.culprit == AccessRecord::kNoCpu || r.blamed == 0)
      return;
    const uint32_t culprit = functions_.of(r.process, r.culprit_pc);
    const auto [pair_at, new_pair] = pair_of_.emplace(uint64_t{function} << 32 | culprit, facts.blame.size());
    if (new_pair)
      facts.blame.push_back({function, culprit, 0});
    facts.blame[pair_at->second].cycles += r.blamed;
  }

  void add_item(Items::Kind plain, Items::Kind prefixed, uint32_t cpu, uint64_t value, WindowFacts& facts) {
    facts.items.push_back(out_.items.of(plain, 0, value));
    facts.items.push_back(out_.items.of(prefixed, cpu, value));
  }

  const Scan& scan_;
  const ContentionOptions& options_;
  Functions& functions_;
  WindowScan& out_;
  WindowBuilder windows_;
  ControlBuilder controls_;
  SliceBuilder slices_;
  std::unordered_map<BlockKey, size_t, BlockHash> hot_;
  size_t uses_ = 0;
  // These map a function to its range and a pair (victim, culprit) to its blame, in the current window.
  std::unordered_map<uint32_t, size_t> range_of_;
  std::unordered_map<uint64_t, size_t> pair_of_;
  RunsIn in_windows_{functions_};
  RunsIn in_controls_{functions_};
  uint64_t covered_until_ = 0;
  bool any_ = false;
};

}  // namespace

// Reads the trace a second time and collects windows around slow accesses, and control windows.
WindowScan scan_windows(
    const OpenTrace& open,
    const ContentionOptions& options,
    const Scan& scan,
    Functions& functions,
    base::ReadReport& report) {
  WindowScan out;
  out.threshold = options.threshold ? *options.threshold : scan.latencies.quantile(0.75, options.rule);
  // When the third quartile is the least latency, "at least" would take every access. The next larger value
  // is used then.
  if (!options.threshold && out.threshold <= double(scan.latencies.minimum())) {
    for (const auto& [value, count] : scan.latencies.values()) {
      out.threshold = double(value);
      if (value > scan.latencies.minimum())
        break;
    }
    // When all latencies are alike, they count as high only where the trace names culprits.
    if (out.threshold <= double(scan.latencies.minimum()) && !scan.culprits_known)
      out.threshold += 1;
  }
  SecondPass pass(scan, options, functions, out);
  each_record(open, options, functions, report, "accesses in windows", [&](const AccessRecord& r) {
    pass.add(r);
  });
  pass.finish();
  return out;
}

}  // namespace lento::memory
