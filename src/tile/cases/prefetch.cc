// The entangling prefetcher as soft logic of a tile, and its comparison with the exact model.
//
// The tile cannot inject anything: the processor runs without prefetcher, the soft logic keeps shadow tags of
// the L1I as it would be with one, and takes every miss for an L2 hit (15 cycles).
//
// Time. What the tile sees is slowed by misses that the prefetcher would have removed, so the emulation keeps
// its own clock: between two visits it moves by the observed gap less the stall (the ABI gives the latencies
// 15, 35 and 200), and a miss of the emulated cache adds its own stall.
//
// Space. The 2K table (19.75 KB) lies in the scratchpad behind a 64-bit port; its tags (128 sets x 160 bits)
// fill six of the eight block RAMs, so absence is known in one cycle, and only entries that are there cost
// `entry_cycles` of the port. A visit that finds `queue` others waiting looks nothing up; it is counted.
#include <algorithm>
#include <cmath>
#include <deque>

#include "base/units.h"
#include "tile/cases/cases.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

constexpr uint32_t kInterval = 16384, kUnit = 64, kMissCycles = 15, kSets = 64, kWays = 8;

class PrefetchEmulator : public SoftLogic {
 public:
  explicit PrefetchEmulator(const EmulatorOptions& options)
      : options_(options), prefetcher_(options.entangling, [this](uint64_t line) { return request(line); }) {}

  void step(const TileInputs* inputs) override {
    ++now_;
    if (port_busy_ > 0) --port_busy_;
    if (inputs && (inputs->valid & 3) == 3) visit((uint64_t{inputs->data[1]} << 32 | inputs->data[0]) >> 6);
  }

  uint32_t read(unsigned reg) override {
    if (reg > 2) return 0;
    const uint64_t units = std::min<uint64_t>(counts_[reg] / kUnit, 255);
    counts_[reg] -= units * kUnit;
    return static_cast<uint32_t>(units);
  }
  void write(unsigned, uint32_t) override {}

  uint64_t lookups = 0, dropped = 0;

 private:
  struct Way {
    uint64_t line = 0, touched = 0;
    bool valid = false, prefetched = false;
  };
  struct Flight {
    uint64_t line, ready;
    bool demanded;
  };
  Way* find(uint64_t line) {
    Way* const set = tags_[line % kSets];
    for (Way* way = set; way != set + kWays; ++way) {
      if (way->valid && way->line == line) return way;
    }
    return nullptr;
  }
  Flight* in_flight(uint64_t line) {
    for (Flight& f : flights_) {
      if (f.line == line) return &f;
    }
    return nullptr;
  }
  bool request(uint64_t line) {
    if (queue_.size() >= 32) return false;
    queue_.push_back(line);
    return true;
  }

  // Moves the emulated clock, cycle by cycle: lands what is ready, issues two prefetches.
  void advance(uint64_t until) {
    for (; clock_ < until; ++clock_) {
      if (queue_.empty() && flights_.empty()) {
        clock_ = until;
        return;
      }
      land();
      for (int n = 0; n < 2 && !queue_.empty(); ++n) {
        const uint64_t line = queue_.front();
        if (!find(line) && !in_flight(line)) {
          if (flights_.size() >= 16) break;
          flights_.push_back({line, clock_ + kMissCycles, false});
        }
        queue_.pop_front();
      }
    }
    land();
  }

  static uint64_t without_stall(uint64_t gap) {
    for (const uint64_t stall : {200u, 35u, 15u}) {
      if (gap > stall) return gap - stall;
    }
    return gap;
  }

  void visit(uint64_t line) {
    advance(clock_ + without_stall(now_ - last_visit_));
    last_visit_ = now_;
    Way* way = find(line);
    if (way) {
      way->touched = ++uses_;
      counts_[1] += way->prefetched;
      way->prefetched = false;
    } else {
      ++counts_[0];
    }
    ++lookups;
    const bool look = port_busy_ <= options_.queue * options_.entry_cycles;
    dropped += !look;
    prefetcher_.access(line, way != nullptr, clock_, look);
    port_busy_ += options_.entry_cycles * prefetcher_.entries_read();
    if (!way) wait_for(line);
  }

  void wait_for(uint64_t line) {
    Flight* flight = in_flight(line);
    if (flight) counts_[2] += !flight->demanded;
    while (!flight && flights_.size() >= 16) advance(clock_ + 1), flight = in_flight(line);
    if (!flight) {
      flights_.push_back({line, clock_ + kMissCycles, true});
      flight = &flights_.back();
    }
    flight->demanded = true;
    advance(std::max(clock_, flight->ready));
  }

  void land() {
    for (size_t i = 0; i < flights_.size();) {
      if (flights_[i].ready > clock_) {
        ++i;
        continue;
      }
      const Flight done = flights_[i];
      flights_.erase(flights_.begin() + static_cast<long>(i));
      Way* const set = tags_[done.line % kSets];
      Way* const victim = std::min_element(set, set + kWays, [](const Way& a, const Way& b) {
        return a.valid != b.valid ? !a.valid : a.touched < b.touched;
      });
      const Way old = *victim;
      *victim = {done.line, ++uses_, true, !done.demanded};
      counts_[2] += old.valid && old.prefetched;
      prefetcher_.fill(done.line, old.valid ? std::optional(old.line) : std::nullopt, clock_);
    }
  }

  EmulatorOptions options_;
  EntanglingPrefetcher prefetcher_;
  Way tags_[kSets][kWays];
  std::vector<Flight> flights_;
  std::deque<uint64_t> queue_;
  uint64_t now_ = 0, last_visit_ = 0, clock_ = 1, uses_ = 0, counts_[3] = {};
  uint32_t port_busy_ = 0;
};

double error(double a, double exact) { return exact == 0 ? 0 : std::abs(a - exact) / exact; }

std::string percent(double share) { return base::format_number(100 * share, 3) + " %"; }

}  // namespace

EmulatedPrefetch emulate_prefetcher(const LineTrace& trace, const Image& program,
                                    const EmulatorOptions& options) {
  PrefetchEmulator emulator(options);
  Tile tile;
  tile.memory().soft = &emulator;
  tile.config_image(program);
  tile.resume();
  EmulatedPrefetch out;
  uint64_t cycle = 0, visits = 0, intervals = 0;
  uint64_t sums[3] = {};
  const uint64_t warm_intervals = trace.visits.size() / 4 / kInterval;
  std::string received;
  const auto step = [&](const TileInputs* inputs) {
    tile.step(inputs);
    received += tile.drain(4);
    ++cycle;
    for (; received.size() >= 3; received.erase(0, 3), ++intervals) {
      if (intervals < warm_intervals) continue;
      for (int i = 0; i < 3; ++i)
        sums[i] += static_cast<uint8_t>(received[static_cast<size_t>(i)]) * uint64_t{kUnit};
      out.emulated.accesses += kInterval;
    }
  };
  FrontEndOptions watched;
  watched.real_memory = true;
  watched.observe = [&](uint64_t at, uint64_t line) {
    while (cycle < at) step(nullptr);
    TileInputs in;
    in.valid = 3;
    in.data[0] = static_cast<uint32_t>(line << 6), in.data[1] = static_cast<uint32_t>(line >> 26);
    if (++visits % kInterval == 0) in.valid |= 4;
    step(&in);
  };
  run_front_end(trace, watched);
  for (int i = 0; i < 100; ++i) step(nullptr);
  out.emulated.misses = sums[0], out.emulated.useful = sums[1], out.emulated.wrong = sums[2];
  out.lookups = emulator.lookups, out.dropped_lookups = emulator.dropped;
  out.output_bytes = tile.counters().output_bytes, out.cycles = cycle;
  return out;
}

finding::Diagnosis prefetch_case(const std::vector<std::string>& trace_files,
                                 const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "tile";
  d.title = "Instruction prefetchers in the wild";
  const Image program = build_program(shipped_source("prefetch.c"), "prefetch.c").image;
  finding::TableFigure table;
  table.columns = {"stream", "policy", "miss rate", "MPKI", "coverage", "accuracy"};
  double errors[3] = {};
  uint64_t lookups = 0, dropped = 0;
  double done = 0;
  for (const std::string& file : trace_files) {
    const LineTrace trace = read_line_trace(file);
    const auto row = [&](const std::string& policy, const FrontEndCounters& c, bool has_mpki) {
      table.rows.push_back({file, policy, percent(c.miss_rate()),
                            has_mpki ? base::format_number(c.mpki(), 3) : "-",
                            base::format_number(c.coverage(), 3), base::format_number(c.accuracy(), 3)});
    };
    FrontEndOptions options;
    options.real_memory = true;
    row("none", run_front_end(trace, options), true);
    options.policy = PrefetchPolicy::NextLine;
    row("next line", run_front_end(trace, options), true);
    options.policy = PrefetchPolicy::Entangling;
    const FrontEndCounters exact = run_front_end(trace, options);
    row("entangling 2K, exact", exact, true);
    options.real_memory = false;
    row("entangling 2K, all misses hit L2", run_front_end(trace, options), true);
    const EmulatedPrefetch e = emulate_prefetcher(trace, program);
    row("entangling 2K, on the tile", e.emulated, false);
    errors[0] += error(e.emulated.miss_rate(), exact.miss_rate());
    errors[1] += error(e.emulated.coverage(), exact.coverage());
    errors[2] += error(e.emulated.accuracy(), exact.accuracy());
    lookups += e.lookups, dropped += e.dropped_lookups;
    progress("streams", ++done, static_cast<double>(trace_files.size()));
    if (progress.stopped()) break;
  }
  const double n = std::max(1.0, done);
  d.facts = {{"mean error of the tile, miss rate", percent(errors[0] / n)},
             {"mean error of the tile, coverage", percent(errors[1] / n)},
             {"mean error of the tile, accuracy", percent(errors[2] / n)},
             {"table look-ups", std::to_string(lookups)},
             {"look-ups lost to a full queue", std::to_string(dropped)},
             {"bits into the tile", "64"},
             {"bytes out per interval", "3"}};
  d.verdict = "The tile's emulation is " + percent((errors[0] + errors[1] + errors[2]) / (3 * n)) +
              " off the exact model on average.";
  d.figures.push_back(
      {"A/B table of prefetchers", "Each policy on the same stream; the first quarter warms up.", table});
  return d;
}

}  // namespace lento::tile
