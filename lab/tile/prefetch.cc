// Runs instruction prefetchers on a tile beside a front end that has no prefetcher of its own, and compares
// them with the exact model.
#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "lab/tile/cases.h"
#include "lab/tile/prefetch_logic.h"
#include "tile/unit/build.h"
#include "tile/unit/tile.h"

namespace lento::tile {
namespace {

using base::percent;
using finding::Diagnosis;

// Length of an interval in visits, and the fewest misses and useful prefetches of a stream that is judged.
constexpr uint32_t kInterval = 16384;
constexpr uint32_t kFewest = 1000;
// Share of lost visits from which the tile's rates may be far off, because lost visits evict nothing from
// the emulated cache (bench/results/2026-11-28/tile_prefetch.txt).
constexpr double kMostLost = 0.1;
constexpr size_t kStarts[] = {0, 1, 10, 100, 1'000};

// Returns the number of warm-up visits from a start, in whole intervals.
size_t warm_up(const LineTrace& trace, size_t first_visit) {
  return (trace.visits.size() - first_visit) / 4 / kInterval * kInterval;
}

double error(double a, double exact) {
  if (exact == 0)
    return 0;
  return std::abs(a - exact) / exact;
}

// Visits in which the processor stalled, the others, and how many of each were lost.
struct Strata {
  uint64_t stalls = 0;
  uint64_t stalls_lost = 0;
  uint64_t others = 0;
  uint64_t others_lost = 0;
  uint64_t misses_unstalled = 0;
};

Strata strata_of(const PrefetchLogic& logic) {
  return {
      logic.stalls(),
      logic.stalls_lost(),
      logic.visits() - logic.stalls(),
      logic.visits_lost() - logic.stalls_lost(),
      logic.misses_unstalled()};
}

// Returns the factor by which counts of the visits that were not lost are extended to all visits.
double scale(uint64_t all, uint64_t lost) {
  return lost < all ? double(all) / double(all - lost) : 1;
}

}  // namespace

TileInputs fetch_inputs(uint64_t address) {
  TileInputs in;
  in.valid = 3;
  in.data[0] = uint32_t(address);
  in.data[1] = uint32_t(address >> 32);
  return in;
}

EmulatedPrefetch& EmulatedPrefetch::operator+=(const EmulatedPrefetch& other) {
  emulated += other.emulated;
  visits += other.visits;
  visits_lost += other.visits_lost;
  looks += other.looks;
  output_bytes += other.output_bytes;
  cycles += other.cycles;
  return *this;
}

EmulatedPrefetch
emulate_prefetcher(const LineTrace& trace, const Image& program, EmulatedPolicy policy, size_t first_visit) {
  Tile tile;
  PrefetchLogic logic(tile.memory().scratchpad, policy);
  tile.memory().soft = &logic;
  tile.config_image(program);
  tile.resume();
  EmulatedPrefetch out;
  uint64_t cycle = 0;
  uint64_t visits = 0;
  uint64_t intervals = 0;
  uint64_t sums[3] = {};
  Strata before;
  const uint64_t warm_intervals = warm_up(trace, first_visit) / kInterval;
  std::string received;
  const auto step = [&](const TileInputs* inputs) {
    tile.step(inputs);
    received += tile.drain(4);
    ++cycle;
    for (; received.size() >= 3; received.erase(0, 3), ++intervals) {
      if (intervals < warm_intervals) {
        before = strata_of(logic);
        continue;
      }
      for (int i = 0; i < 3; ++i)
        sums[i] += uint8_t(received[size_t(i)]) * uint64_t{PrefetchLogic::kUnit};
      out.emulated.accesses += kInterval;
    }
  };
  FrontEndOptions watched;
  watched.real_memory = true;
  watched.first_visit = first_visit;
  watched.observe = [&](uint64_t at, uint64_t line) {
    while (cycle < at)
      step(nullptr);
    TileInputs in = fetch_inputs(line << 6);
    if (++visits % kInterval == 0)
      in.valid |= 4;
    step(&in);
  };
  run_front_end(trace, watched);
  for (int i = 0; i < 100; ++i)
    step(nullptr);
  const Strata now = strata_of(logic);
  const double stalled = scale(now.stalls - before.stalls, now.stalls_lost - before.stalls_lost);
  const double others = scale(now.others - before.others, now.others_lost - before.others_lost);
  const auto unstalled = double(now.misses_unstalled - before.misses_unstalled);
  const double misses = stalled * std::max(0.0, double(sums[0]) - unstalled) + others * unstalled;
  out.emulated.misses = uint64_t(std::llround(misses));
  // A prefetch is useful where the processor, which has no prefetcher, stalls.
  out.emulated.useful = uint64_t(std::llround(stalled * double(sums[1])));
  out.emulated.wrong = uint64_t(std::llround(stalled * double(sums[2])));
  out.visits = logic.visits();
  out.visits_lost = logic.visits_lost();
  out.looks = logic.looks();
  out.output_bytes = tile.counters().output_bytes;
  out.cycles = cycle;
  return out;
}

namespace {

// The streams of a case and their sums.
class PrefetchStudy {
 public:
  void add(const std::string& name, const LineTrace& trace) {
    FrontEndOptions options;
    options.real_memory = true;
    const FrontEndCounters none = run_front_end(trace, options);
    row(name, "none", none, true);
    compare(name, trace, options, PrefetchPolicy::NextLine, EmulatedPolicy::NextLine, "next line");
    options.real_memory = false;
    options.policy = PrefetchPolicy::Entangling;
    row(name, "entangling 2K, all misses hit L2", run_front_end(trace, options), true);
    options.real_memory = true;
    compare(name, trace, options, PrefetchPolicy::Entangling, EmulatedPolicy::Entangling, "entangling 2K");
  }
  Diagnosis diagnosis() const;

 private:
  // Mean difference between tile and exact model over streams.
  struct Errors {
    double miss_rate = 0;
    double coverage = 0;
    double accuracy = 0;
    double worst = 0;   // of the miss rate
    double spread = 0;  // of the exact model between starts, the largest
    int streams = 0;
  };

  void row(const std::string& name, const std::string& policy, const FrontEndCounters& c, bool has_mpki) {
    table_.rows.push_back(
        {name,
         policy,
         percent(c.miss_rate()),
         has_mpki ? base::format_number(c.mpki(), 3) : "-",
         base::format_number(c.coverage(), 3),
         base::format_number(c.accuracy(), 3),
         "-",
         "-"});
  }
  void compare(
      const std::string& name,
      const LineTrace& trace,
      FrontEndOptions options,
      PrefetchPolicy policy,
      EmulatedPolicy emulated,
      const std::string& words) {
    options.policy = policy;
    const bool entangling = emulated == EmulatedPolicy::Entangling;
    FrontEndCounters exact;
    EmulatedPrefetch tile;
    std::vector<double> miss_rates;
    for (const size_t start : kStarts) {
      if (start >= trace.visits.size())
        break;
      options.first_visit = start;
      options.warm_up = warm_up(trace, start);
      options.visits = (trace.visits.size() - start) / kInterval * kInterval;
      const FrontEndCounters one = run_front_end(trace, options);
      exact += one;
      miss_rates.push_back(one.miss_rate());
      tile += emulate_prefetcher(trace, program_, emulated, start);
    }
    row(name, words + ", exact", exact, true);
    row(name, words + ", on the tile", tile.emulated, false);
    std::vector<std::string>& last = table_.rows.back();
    last[last.size() - 2] = percent(share(tile.visits_lost, tile.visits));
    if (entangling) {
      visits_ += tile.visits;
      lost_ += tile.visits_lost;
      crowded_ += share(tile.visits_lost, tile.visits) > kMostLost;
    }
    if (exact.misses + exact.useful < kFewest)
      return;
    last.back() = percent(error(tile.emulated.miss_rate(), exact.miss_rate()));
    Errors& to = errors_[entangling];
    to.worst = std::max(to.worst, error(tile.emulated.miss_rate(), exact.miss_rate()));
    to.miss_rate += error(tile.emulated.miss_rate(), exact.miss_rate());
    to.coverage += error(tile.emulated.coverage(), exact.coverage());
    to.accuracy += error(tile.emulated.accuracy(), exact.accuracy());
    ++to.streams;
    for (const double rate : miss_rates)
      to.spread = std::max(to.spread, error(rate, exact.miss_rate()));
  }
  static double share(uint64_t part, uint64_t all) {
    return double(part) / double(std::max<uint64_t>(all, 1));
  }
  Errors mean_errors(bool entangling) const {
    Errors out = errors_[entangling];
    const double n = std::max(1, out.streams);
    out.miss_rate /= n;
    out.coverage /= n;
    out.accuracy /= n;
    return out;
  }

  const Image program_ = build_program(shipped_source("prefetch.c"), "prefetch.c").image;
  finding::TableFigure table_ = {
      {"stream", "policy", "miss rate", "MPKI", "coverage", "accuracy", "visits lost", "error of miss rate"},
      {}};
  Errors errors_[2];
  uint64_t visits_ = 0;
  uint64_t lost_ = 0;
  int crowded_ = 0;  // streams too dense for the soft logic
};

Diagnosis PrefetchStudy::diagnosis() const {
  Diagnosis d;
  d.scale = "tile";
  d.title = "Instruction prefetchers in the wild";
  const Errors entangling = mean_errors(true);
  const Errors next_line = mean_errors(false);
  d.facts = {
      {"streams with misses to judge by", std::to_string(entangling.streams)},
      {"mean error of the tile, miss rate", percent(entangling.miss_rate)},
      {"worst error of the tile, miss rate", percent(entangling.worst)},
      {"mean error of the tile, coverage", percent(entangling.coverage)},
      {"mean error of the tile, accuracy", percent(entangling.accuracy)},
      {"the same for next line",
       percent(next_line.miss_rate) + ", " + percent(next_line.coverage) + ", " +
           percent(next_line.accuracy)},
      {"the exact model's own miss rate, from start to start", "up to " + percent(entangling.spread)},
      {"line visits, from all starts", std::to_string(visits_)},
      {"visits lost to a full queue", std::to_string(lost_)},
      {"streams of which a tenth of the visits or more is lost: rates not to be relied on",
       std::to_string(crowded_)},
      {"bits into the tile", std::to_string(bits_in(fetch_inputs(~uint64_t{0})))},
      {"bytes out per interval", std::to_string(program_.output_bytes)}};
  d.verdict = "The miss rate on the tile is off the exact model's by " + percent(entangling.miss_rate) +
              " on average over " + std::to_string(entangling.streams) + " streams" + " and by " +
              percent(entangling.worst) + " on the worst.";
  d.figures.push_back(
      {"A/B table of prefetchers",
       "Each policy on the same stream, from five starts a few visits apart; the first "
       "quarter warms up. Counts of "
       "the tile are extended to lost visits, apart for those in which the processor stalled and others.",
       table_});
  return d;
}

LineTrace stream_of(const std::string& file, uint64_t max_instructions) {
  const std::string bytes = base::read_file(file);
  if (bytes.starts_with("\177ELF"))
    return trace_lines(riscv::parse_elf(bytes, file), max_instructions);
  return read_line_trace(file);
}

}  // namespace

Diagnosis prefetch_case(
    const std::vector<std::string>& files,
    uint64_t max_instructions,
    const base::Progress& progress) {
  PrefetchStudy study;
  double done = 0;
  for (const std::string& file : files) {
    study.add(file, stream_of(file, max_instructions));
    progress("streams", ++done, double(files.size()));
    if (progress.stopped())
      break;
  }
  return study.diagnosis();
}

}  // namespace lento::tile
