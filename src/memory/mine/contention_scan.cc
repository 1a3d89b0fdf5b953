#include "memory/mine/contention_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/rng.h"

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
    if (r.culprit != trace::AccessRecord::kNoCpu) blame(r);
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

template <class Use>
void each_record(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                 base::ReadReport& report, const char* what, Use&& use) {
  const std::unique_ptr<trace::AccessSource> source = open(report);
  uint64_t done = 0, next = 1 << 22;
  const bool all = options.filter.cpus == 0 && options.filter.function.empty() &&
                   options.filter.first_cycle == 0 && options.filter.last_cycle == UINT64_MAX;
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    for (const trace::AccessRecord& r : batch) {
      if (all || passes(options.filter, r, functions)) use(r);
    }
    done += batch.size();
    if (done < next) continue;
    next += 1 << 22;
    options.progress(what, static_cast<double>(done), 0);
    if (options.progress.stopped()) return;
  }
}

// Cost by line needs the baseline, so it is collected at the start of pass 2's sibling: a light pass of its
// own.
void add_costs(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan) {
  base::ReadReport again;
  each_record(open, options, functions, again, "accesses costed", [&](const trace::AccessRecord& r) {
    const uint64_t excess = excess_of(r, scan);
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
    ++at->second.accesses;
  });
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

class SecondPass {
 public:
  SecondPass(const Scan& scan, const ContentionOptions& options, Functions& functions, WindowScan& out)
      : scan_(scan),
        options_(options),
        functions_(functions),
        out_(out),
        windows_(options.window, options.literal, [this](const Window& w) { take_window(w); }),
        controls_(options.window, options.paper ? std::vector<uint64_t>{} : control_centres(scan, options),
                  [this](const Window& w) { out_.controls.push_back(facts(w)); }) {
    pick_hot_lines();
  }

  void add(const trace::AccessRecord& r) {
    const bool high = r.latency != trace::AccessRecord::kNoLatency && !is_trivial(r) &&
                      static_cast<double>(r.latency) >= out_.threshold;
    out_.high_events += high;
    windows_.add(r, high);
    if (!options_.paper) controls_.add(r);
    if (r.type != trace::AccessType::Fetch && !hot_.empty()) use_line(r, high);
  }

  void finish() {
    windows_.finish();
    controls_.finish();
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
    if (out_.window_count++ % out_.keep_every != 0) return;
    out_.windows.push_back(facts(w));
    count_pcs(w);
    if (out_.windows.size() < options_.max_windows) return;
    for (size_t i = 0; 2 * i < out_.windows.size(); ++i) out_.windows[i] = std::move(out_.windows[2 * i]);
    out_.windows.resize((out_.windows.size() + 1) / 2);
    out_.keep_every *= 2;
  }

  void count_pcs(const Window& w) {
    pcs_.clear();
    for (const trace::AccessRecord& r : w.events) pcs_.push_back(r.pc);
    std::sort(pcs_.begin(), pcs_.end());
    pcs_.erase(std::unique(pcs_.begin(), pcs_.end()), pcs_.end());
    for (const uint64_t pc : pcs_) {
      if (out_.pc_windows.size() < kMostPcs || out_.pc_windows.contains(pc)) ++out_.pc_windows[pc];
    }
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
  std::unordered_map<uint64_t, size_t> hot_;
  std::vector<uint64_t> pcs_;
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

uint32_t Items::of(Kind kind, uint32_t cpu, uint64_t value) {
  const uint64_t key =
      static_cast<uint64_t>(kind) << 60 | uint64_t{cpu} << 44 | (value & ((uint64_t{1} << 44) - 1));
  const auto [at, is_new] = ids_.emplace(key, static_cast<uint32_t>(items_.size()));
  if (is_new) items_.push_back({kind, cpu, value});
  return at->second;
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
  FirstPass pass(scan, options, functions);
  each_record(open, options, functions, report, "accesses read",
              [&](const trace::AccessRecord& r) { pass.add(r); });
  if (scan.events == 0) scan.first_cycle = 0;
  for (int t = 0; t < trace::kAccessTypes; ++t) {
    scan.baseline[static_cast<size_t>(t)] =
        scan.by_type[static_cast<size_t>(t)].quantile(0.1, QuantileRule::NearestRank);
  }
  add_costs(open, options, functions, scan);
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
    if (out.threshold <= static_cast<double>(scan.latencies.minimum())) out.threshold += 1;
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
