#include "memory/mine/contention_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "memory/mine/checkpoint.h"

namespace lento::memory {
namespace {

constexpr uint64_t kCodePage = 256;  // bytes; stands for a function where no symbol does
constexpr size_t kMostControls = 20000;
constexpr size_t kMinedLines = 8;  // hot lines that are items
constexpr size_t kMostPcs = size_t{1} << 20;

bool is_write(trace::AccessType type) {
  return type == trace::AccessType::Store || type == trace::AccessType::StoreConditional ||
         type == trace::AccessType::Atomic;
}

bool is_atomic(trace::AccessType type) {
  return type == trace::AccessType::LoadLinked || type == trace::AccessType::StoreConditional ||
         type == trace::AccessType::Atomic;
}

void add_cost(Scan& scan, const ContentionOptions& options, const trace::AccessRecord& r, uint64_t excess) {
  if (excess == 0) return;
  scan.excess += excess;
  scan.excess_by_type[static_cast<size_t>(r.type)] += excess;
  if (r.type == trace::AccessType::Fetch) return;
  const uint64_t line = r.address / options.line_bytes;
  auto at = scan.lines.find(line);
  if (at == scan.lines.end()) {
    if (scan.lines.size() >= kMostLines) {
      ++scan.lines_dropped;
      return;
    }
    at = scan.lines.emplace(line, LineCost{}).first;
  }
  at->second.excess += excess;
  at->second.bank += r.cause == trace::DelayCause::Bank ? excess : 0;
  ++at->second.accesses;
}

class FirstPass {
 public:
  FirstPass(Scan& scan, const ContentionOptions& options, Functions& functions)
      : scan_(scan), options_(options), functions_(functions) {}

  void add(const trace::AccessRecord& r) {
    ++scan_.events;
    scan_.first_cycle = std::min(scan_.first_cycle, r.cycle);
    scan_.last_cycle = std::max(scan_.last_cycle, r.cycle);
    if (r.cpu < kMostCpus) scan_.cpus |= uint64_t{1} << r.cpu;
    scan_.service_known |= (r.flags & trace::AccessRecord::kServiceKnown) != 0;
    scan_.sampled |= (r.flags & trace::AccessRecord::kSampled) != 0;
    scan_.failed_sc += (r.flags & trace::AccessRecord::kFailed) != 0;
    if (r.latency == trace::AccessRecord::kNoLatency) {
      ++scan_.no_latency;
      return;
    }
    if (is_trivial(r)) {
      ++scan_.trivial;
    } else {
      scan_.latencies.add(r.latency);
      scan_.by_type[static_cast<size_t>(r.type)].add(r.latency);
    }
    if (r.culprit == trace::AccessRecord::kNoCpu) return;
    blame(r);
    add_cost(scan_, options_, r, r.blamed);
  }

 private:
  void blame(const trace::AccessRecord& r) {
    scan_.culprits_known = true;
    scan_.cycles_by_cause[static_cast<size_t>(r.cause)] += r.blamed;
    Blame& by_cpu = scan_.cpu_blame[{r.cpu, r.culprit}];
    by_cpu.cycles += r.blamed;
    ++by_cpu.accesses;
    Blame& by_function = scan_.function_blame[{functions_.of(r.pc), functions_.of(r.culprit_pc)}];
    by_function.cycles += r.blamed;
    ++by_function.accesses;
  }

  Scan& scan_;
  const ContentionOptions& options_;
  Functions& functions_;
};

constexpr uint64_t kPause = uint64_t{1} << 22;  // records between two looks at the user's wishes

// Calls use(record) for each record that passes the filter, but for the first `skip` records of the trace,
// and pause(records) after every `pause_every`. False when the user stopped it.
template <class Use, class Pause>
bool each_record(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                 base::ReadReport& report, uint64_t skip, uint64_t pause_every, Use&& use, Pause&& pause) {
  const std::unique_ptr<trace::AccessSource> source = open(report);
  uint64_t done = 0, next = skip + pause_every;
  const bool all = options.filter.cpus == 0 && options.filter.function.empty() &&
                   options.filter.first_cycle == 0 && options.filter.last_cycle == UINT64_MAX;
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    const size_t known = static_cast<size_t>(std::min<uint64_t>(batch.size(), skip - std::min(skip, done)));
    for (const trace::AccessRecord& r : batch.subspan(known)) {
      if (all || passes(options.filter, r, functions)) use(r);
    }
    done += batch.size();
    if (done < next) continue;
    next += pause_every;
    pause(done);
    if (options.progress.stopped()) return false;
  }
  return true;
}

// A pass that starts at the first record and only tells how far it is.
template <class Use>
void each_record(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                 base::ReadReport& report, const char* what, Use&& use) {
  each_record(open, options, functions, report, 0, kPause, use,
              [&](uint64_t done) { options.progress(what, static_cast<double>(done), 0); });
}

// Without blame, cost needs the baseline, known only after the first pass: a pass of its own.
void add_costs(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan) {
  base::ReadReport again;
  each_record(open, options, functions, again, "accesses costed",
              [&](const trace::AccessRecord& r) { add_cost(scan, options, r, excess_of(r, scan)); });
}

// One random centre in each of equal strata of the run.
std::vector<uint64_t> control_centres(const Scan& scan, const ContentionOptions& options) {
  const uint64_t count =
      std::min<uint64_t>(kMostControls, scan.duration() / std::max<uint64_t>(1, options.window));
  std::vector<uint64_t> centres;
  base::Rng rng(options.seed, "memory.control");
  for (uint64_t k = 0; k < count; ++k) {
    const double width = static_cast<double>(scan.duration()) / static_cast<double>(count);
    centres.push_back(scan.first_cycle +
                      static_cast<uint64_t>(width * (static_cast<double>(k) + rng.uniform())));
  }
  return centres;
}

// In how many windows each pc appears: open addressing, as every event asks.
class PcWindows {
 public:
  // Counts the window once however often the pc is seen in it: true the first time. Windows are numbered
  // from 1.
  bool see(uint64_t pc, uint64_t window) {
    size_t at = (pc * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
    while (slots_[at].windows != 0 && slots_[at].pc != pc) at = (at + 1) & mask_;
    Slot& slot = slots_[at];
    if (slot.last == window) return false;
    if (slot.windows == 0) {
      if (used_ == kMostPcs) return false;
      slot.pc = pc;
      ++used_;
    }
    slot.last = window;
    ++slot.windows;
    if (2 * used_ > mask_) grow();
    return true;
  }
  template <class Use>
  void each(Use&& use) const {
    for (const Slot& slot : slots_) {
      if (slot.windows > 0) use(slot.pc, slot.windows);
    }
  }

 private:
  struct Slot {
    uint64_t pc = 0, last = 0, windows = 0;
  };
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.windows == 0) continue;
      size_t at = (slot.pc * 0x9e3779b97f4a7c15ULL >> 20) & mask_;
      while (slots_[at].windows != 0) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(1 << 12);
  size_t mask_ = slots_.size() - 1, used_ = 0;
};

// Which functions run in a window, and in how many windows each pc does.
class RunsIn {
 public:
  explicit RunsIn(Functions& functions) : functions_(functions) {}

  std::vector<uint32_t> add(const Window& w) {
    std::vector<uint32_t> runs;
    ++number_;
    for (const trace::AccessRecord& r : w.events) {
      if (!pcs.see(r.pc, number_)) continue;
      const uint32_t function = functions_.of(r.pc);
      if (function >= last_.size()) last_.resize(function + 1u);
      if (last_[function] != number_) runs.push_back(function);
      last_[function] = number_;
    }
    std::sort(runs.begin(), runs.end());
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
        windows_(options.window, options.literal, [this](const Window& w) { take_window(w); }),
        controls_(options.window, options.paper ? std::vector<uint64_t>{} : control_centres(scan, options),
                  [this](const Window& w) { take_control(w); }),
        slices_(
            options.slice ? options.slice : std::max<uint64_t>(1, scan.duration() / 100),
            options.object_bytes ? options.object_bytes : options.line_bytes,
            [this](const Window& w) { take_group(w); }, [this](const Window& w) { take_control(w); }) {
    out_.sliced = scan.sampled && !options.paper && !options.literal;
    pick_hot_lines();
  }

  void add(const trace::AccessRecord& r) {
    const bool high = r.latency != trace::AccessRecord::kNoLatency && !is_trivial(r) &&
                      static_cast<double>(r.latency) >= out_.threshold;
    out_.high_events += high;
    if (out_.sliced) {
      slices_.add(r, high);
    } else {
      windows_.add(r, high);
      if (!options_.paper) controls_.add(r);
    }
    if (r.type != trace::AccessType::Fetch && !hot_.empty()) use_line(r, high);
  }

  void finish() {
    windows_.finish();
    controls_.finish();
    slices_.finish();
    in_windows_.pcs.each([&](uint64_t pc, uint64_t windows) { out_.pc_windows[pc] = windows; });
  }

 private:
  void pick_hot_lines() {
    std::vector<std::pair<uint64_t, uint64_t>> cost;  // (excess, line)
    for (const auto& [line, c] : scan_.lines) cost.emplace_back(c.excess, line);
    std::sort(cost.begin(), cost.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    cost.resize(std::min(cost.size(), kHotLines));
    for (const auto& [excess, line] : cost) {
      hot_[line] = out_.hot_lines.size();
      out_.hot_lines.emplace_back();
      out_.hot_lines.back().line = line;
    }
  }

  void use_line(const trace::AccessRecord& r, bool high) {
    const auto found = hot_.find(r.address / options_.line_bytes);
    if (found == hot_.end()) return;
    HotLine& line = out_.hot_lines[found->second];
    HotLine::Use& use = line.uses[{static_cast<uint32_t>(r.address % options_.line_bytes) & ~3u, r.cpu}];
    const uint64_t excess = excess_of(r, scan_);
    ++line.accesses;
    line.high += high;
    line.excess += excess;
    line.by_cause[static_cast<size_t>(r.cause)] += excess;
    line.failed_sc += (r.flags & trace::AccessRecord::kFailed) != 0;
    line.atomics += is_atomic(r.type);
    line.writes += is_write(r.type);
    ++(is_write(r.type) ? use.writes : use.reads);
    use.atomics += is_atomic(r.type);
    use.excess += excess;
    if (excess > use.pc_excess || use.pc == 0) use.pc = r.pc, use.pc_excess = excess;
  }

  void take_window(const Window& w) {
    const uint64_t begin = any_ && w.begin <= covered_until_ ? covered_until_ + 1 : w.begin;
    out_.covered_cycles += w.end >= begin ? w.end - begin + 1 : 0;
    for (const trace::AccessRecord& r : w.events) out_.covered_events += !any_ || r.cycle > covered_until_;
    covered_until_ = w.end;
    any_ = true;
    keep_window(w);
  }

  // Groups of one slice share its time: it is covered once.
  void take_group(const Window& w) {
    out_.covered_cycles += !any_ || w.begin > covered_until_ ? w.end - w.begin + 1 : 0;
    out_.covered_events += w.events.size();
    covered_until_ = w.end;
    any_ = true;
    keep_window(w);
  }

  void take_control(const Window& w) {
    if (out_.controls.size() == options_.max_windows) return;
    out_.controls.push_back(facts(w));
    out_.controls.back().runs = in_controls_.add(w);
  }

  void keep_window(const Window& w) {
    if (out_.window_count++ % out_.keep_every != 0) return;
    out_.windows.push_back(facts(w));
    out_.windows.back().runs = in_windows_.add(w);
    if (out_.windows.size() < options_.max_windows) return;
    for (size_t i = 0; 2 * i < out_.windows.size(); ++i) out_.windows[i] = std::move(out_.windows[2 * i]);
    out_.windows.resize((out_.windows.size() + 1) / 2);
    out_.keep_every *= 2;
  }

  WindowFacts facts(const Window& w) {
    WindowFacts facts;
    facts.seed = w.seed;
    for (const trace::AccessRecord& r : w.events) add_facts(r, facts);
    std::sort(facts.items.begin(), facts.items.end());
    facts.items.erase(std::unique(facts.items.begin(), facts.items.end()), facts.items.end());
    return facts;
  }

  void add_facts(const trace::AccessRecord& r, WindowFacts& facts) {
    using Kind = Items::Kind;
    const bool trivial = is_trivial(r);
    if (trivial && !options_.paper) return;
    const uint32_t function = functions_.of(r.pc);
    const uint64_t bin =
        r.latency == trace::AccessRecord::kNoLatency ? 0 : std::min<uint64_t>(r.latency, 250) / options_.bins;
    if (options_.paper) {
      add_item(Kind::Function, Kind::CpuFunction, r.cpu, function, facts);
      add_item(Kind::Type, Kind::CpuType, r.cpu, static_cast<uint64_t>(r.type), facts);
      add_item(Kind::Latency, Kind::CpuLatency, r.cpu, bin, facts);
    } else {
      facts.items.push_back(out_.items.of(Kind::Function, 0, function));
    }
    if (!options_.paper && static_cast<double>(r.latency) >= out_.threshold &&
        r.latency != trace::AccessRecord::kNoLatency) {
      facts.items.push_back(out_.items.of(Kind::Latency, 0, bin));
    }
    if (trivial) return;
    if (r.cpu < kMostCpus) facts.cpus |= uint64_t{1} << r.cpu;
    const auto hot = hot_.find(r.address / options_.line_bytes);
    if (!options_.paper && r.type != trace::AccessType::Fetch && hot != hot_.end() &&
        hot->second < kMinedLines) {
      facts.items.push_back(out_.items.of(Kind::Line, 0, hot->first));
    }
    auto range = std::find_if(facts.ranges.begin(), facts.ranges.end(),
                              [&](const auto& a) { return a.function == function; });
    if (range == facts.ranges.end()) range = facts.ranges.insert(range, {function, r.pc, r.pc});
    range->low = std::min(range->low, r.pc);
    range->high = std::max(range->high, r.pc);
    const uint64_t excess = excess_of(r, scan_);
    facts.excess += excess;
    if (r.culprit == trace::AccessRecord::kNoCpu || r.blamed == 0) return;
    const uint32_t culprit = functions_.of(r.culprit_pc);
    auto pair = std::find_if(facts.blame.begin(), facts.blame.end(),
                             [&](const auto& p) { return p.victim == function && p.culprit == culprit; });
    if (pair == facts.blame.end()) pair = facts.blame.insert(pair, {function, culprit, 0});
    pair->cycles += r.blamed;
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
  std::unordered_map<uint64_t, size_t> hot_;
  RunsIn in_windows_{functions_}, in_controls_{functions_};
  uint64_t covered_until_ = 0;
  bool any_ = false;
};

}  // namespace

uint32_t Functions::of(uint64_t pc) {
  if (pc >= low_ && pc < high_) return last_;
  const trace::Symbol* symbol = symbols_ ? symbols_->function_at(pc) : nullptr;
  low_ = symbol ? symbol->low : pc / kCodePage * kCodePage;
  high_ = symbol ? symbol->high : low_ + kCodePage;
  const auto [at, is_new] = by_start_.emplace(low_, static_cast<uint32_t>(names_.size()));
  if (is_new) {
    char text[40];
    std::snprintf(text, sizeof text, "code at 0x%llx", static_cast<unsigned long long>(low_));
    names_.push_back(symbol ? symbol->name : text);
  }
  return last_ = at->second;
}

std::vector<std::pair<uint64_t, std::string>> Functions::known() const {
  std::vector<std::pair<uint64_t, std::string>> out(names_.size());
  for (const auto& [start, number] : by_start_) out[number] = {start, names_[number]};
  return out;
}

void Functions::add(uint64_t start, std::string name) {
  by_start_.emplace(start, static_cast<uint32_t>(names_.size()));
  names_.push_back(std::move(name));
}

uint32_t Items::of(Kind kind, uint32_t cpu, uint64_t value) {
  const uint64_t key =
      static_cast<uint64_t>(kind) << 60 | uint64_t{cpu} << 44 | (value & ((uint64_t{1} << 44) - 1));
  const auto [at, is_new] = ids_.emplace(key, static_cast<uint32_t>(items_.size()));
  if (is_new) items_.push_back({kind, cpu, value});
  return at->second;
}

double Scan::sampled_cycles() const {
  double sum = static_cast<double>(trivial);
  for (const auto& [latency, count] : latencies.values())
    sum += static_cast<double>(latency) * static_cast<double>(count);
  return sum;
}

bool passes(const AccessFilter& filter, const trace::AccessRecord& r, Functions& functions) {
  if (r.cycle < filter.first_cycle || r.cycle > filter.last_cycle) return false;
  if (filter.cpus != 0 && (r.cpu >= kMostCpus || !(filter.cpus >> r.cpu & 1))) return false;
  return filter.function.empty() || functions.name(functions.of(r.pc)) == filter.function;
}

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

Scan scan_trace(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                base::ReadReport& report) {
  Scan scan;
  PassMark mark;
  const bool keeps = !options.checkpoint.empty();
  const auto keep = [&] {
    base::write_file(options.checkpoint, pack_pass(options.checkpoint_key, mark, scan, functions));
  };
  if (keeps && std::filesystem::exists(options.checkpoint))
    unpack_pass(base::read_file(options.checkpoint), options.checkpoint, options.checkpoint_key, mark, scan,
                functions);
  if (!mark.finished) {
    FirstPass pass(scan, options, functions);
    uint64_t next_keep = mark.records + options.checkpoint_every;
    const auto pause = [&](uint64_t done) {
      options.progress("accesses read", static_cast<double>(done), 0);
      mark.records = done;
      if (!keeps || done < next_keep) return;
      next_keep = done + options.checkpoint_every;
      keep();
    };
    mark.finished = each_record(
        open, options, functions, report, mark.records, std::min(kPause, options.checkpoint_every),
        [&](const trace::AccessRecord& r) { pass.add(r); }, pause);
    if (keeps) keep();
  }
  if (scan.events == 0) scan.first_cycle = 0;
  for (int t = 0; t < trace::kAccessTypes; ++t) {
    scan.baseline[static_cast<size_t>(t)] =
        scan.by_type[static_cast<size_t>(t)].quantile(0.1, QuantileRule::NearestRank);
  }
  if (!scan.culprits_known) add_costs(open, options, functions, scan);
  return scan;
}

WindowScan scan_windows(const OpenTrace& open, const ContentionOptions& options, const Scan& scan,
                        Functions& functions, base::ReadReport& report) {
  WindowScan out;
  out.threshold = options.threshold ? *options.threshold : scan.latencies.quantile(0.75, options.rule);
  // When the third quartile is the least latency, "at least" would take every access: the next value up.
  if (!options.threshold && out.threshold <= static_cast<double>(scan.latencies.minimum())) {
    for (const auto& [value, count] : scan.latencies.values()) {
      out.threshold = static_cast<double>(value);
      if (value > scan.latencies.minimum()) break;
    }
    // All alike: they count as high only where the trace says that somebody is to blame.
    if (out.threshold <= static_cast<double>(scan.latencies.minimum()) && !scan.culprits_known)
      out.threshold += 1;
  }
  SecondPass pass(scan, options, functions, out);
  each_record(open, options, functions, report, "accesses in windows",
              [&](const trace::AccessRecord& r) { pass.add(r); });
  pass.finish();
  std::sort(out.hot_lines.begin(), out.hot_lines.end(), [](const HotLine& a, const HotLine& b) {
    return a.excess != b.excess ? a.excess > b.excess : a.line < b.line;
  });
  return out;
}

}  // namespace lento::memory
