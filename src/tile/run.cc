// Runs a tile on a recording of a block's signals and judges the image's declarations. The recording is
// streamed, one block cycle at a time, into the cycle model of the tile. Init and finish get a million cycles
// plus the time that the verifier proved. A region that takes longer is a finding. Cost: about one step of
// the model a tile cycle.
#include "tile/run.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "tile/block/vcd.h"
#include "tile/unit/tile.h"
#include "tile/unit/vcd_writer.h"

namespace lento::tile {
namespace {

using finding::Diagnosis;

// Bytes of the output FIFO, and bytes that the output path takes a cycle.
constexpr uint32_t kFifoBytes = 64;
constexpr uint32_t kPathBytes = 4;
constexpr uint64_t kPatience = 1'000'000;  // cycles for init or finish when no bound is known

// Compares the inputs with the declared period. Only inputs that pass the trigger count.
struct Arrivals {
  uint64_t early = 0;           // came sooner than declared after the one before
  uint64_t least = UINT64_MAX;  // shortest time between two
  std::optional<uint64_t> last;
  std::optional<uint64_t> first_early;

  void record(uint64_t cycle, uint64_t declared) {
    if (last) {
      const uint64_t gap = cycle - *last;
      least = std::min(least, gap);
      if (gap < declared) {
        ++early;
        if (!first_early)
          first_early = cycle;
      }
    }
    last = cycle;
  }
};

// A tile connected to its inputs, its output path and its waveform.
class ConnectedTile {
 public:
  ConnectedTile(const TileRunOptions& options, const Image& image)
      : options_(options),
        image_(image),
        unit_({kFifoBytes, options.queue}) {
    if (!options.wave.empty())
      wave_ = std::make_unique<VcdWriter>(options.wave);
  }

  void load(uint64_t patience) {
    unit_.config_image(image_);
    unit_.resume();
    init_ends_ = run_until(patience, [&] {
      return unit_.status() == Status::ActivePaused;
    });
  }

  void feed(const VcdCycle& cycle) {
    TileInputs inputs;
    inputs.valid = cycle.valid;
    std::copy(std::begin(cycle.data), std::end(cycle.data), inputs.data.begin());
    inputs.has_address = cycle.has_address;
    inputs.address = cycle.address;
    offer(inputs);
    for (uint32_t i = 1; i < options_.tile_cycles; ++i)
      step(nullptr);
  }

  // Lets main end within `patience` cycles, then runs finish.
  void finish(uint64_t patience) {
    unit_.finalize();
    main_ends_ = run_until(patience, [&] {
      return unit_.status() == Status::Paused && unit_.idle();
    });
    while (unit_.output_waiting() > 0)
      output_ += unit_.drain(kFifoBytes);
    if (wave_)
      wave_->commit();
    if (!options_.output.empty())
      base::write_file(options_.output, output_);
  }

  const Tile& unit() const {
    return unit_;
  }
  const Arrivals& arrivals() const {
    return arrivals_;
  }
  bool init_ends() const {
    return init_ends_;
  }
  bool main_ends() const {
    return main_ends_;
  }

 private:
  void offer(const TileInputs& inputs) {
    const TileCounters& counters = unit_.counters();
    const uint64_t untriggered = counters.dropped[size_t(Drop::Untriggered)];
    const uint64_t offered = counters.inputs;
    step(inputs.valid || inputs.has_address ? &inputs : nullptr);
    if (counters.inputs == offered)
      return;
    if (counters.dropped[size_t(Drop::Untriggered)] != untriggered)
      return;
    arrivals_.record(counters.cycles, image_.arrival_cycles);
  }

  void step(const TileInputs* inputs) {
    unit_.step(inputs);
    output_ += unit_.drain(kPathBytes);
    if (wave_)
      wave_->sample(unit_);
  }

  template <class Done>
  bool run_until(uint64_t patience, Done&& done) {
    for (uint64_t i = 0; i < patience && !done(); ++i) {
      if (unit_.status() == Status::Error)
        return true;
      step(nullptr);
    }
    return done();
  }

  const TileRunOptions& options_;
  const Image& image_;
  Tile unit_;
  std::unique_ptr<VcdWriter> wave_;
  std::string output_;
  Arrivals arrivals_;
  bool init_ends_ = true;
  bool main_ends_ = true;
};

struct Loaded {
  Image image;
  VerifyReport report;
  std::string bytes;
};

// Returns the image as the tile would load it, from the very bytes that were judged.
Loaded load_image(const TileRunOptions& options, const base::Progress& progress) {
  const std::string& path = options.load.image;
  Loaded out;
  if (options.unsigned_image) {
    out.bytes = base::read_file(path, 4 << 20);
    out.image = parse_image(out.bytes, path);
    out.report = verify(out.image, progress);
    return out;
  }
  TileLoad load = decide_tile_load(options.load, progress);
  if (!load.decision.accepted)
    throw base::Error(
        {path},
        "the tile refuses it: " + load.decision.reason,
        "--unsigned runs it all the same, as unverified");
  out.image = std::move(load.decision.image);
  out.report = std::move(load.report);
  out.bytes = write_image(out.image);
  return out;
}

std::string count_of(uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

class Verdict {
 public:
  Verdict(const Loaded& loaded, const ConnectedTile& connected, Diagnosis& out)
      : image_(loaded.image),
        report_(loaded.report),
        connected_(connected),
        counters_(connected.unit().counters()),
        out_(out) {
  }

  void judge() {
    fault();
    endless();
    unverified();
    arrivals();
    drops();
    output();
    summary();
  }

 private:
  void find(
      const std::string& category,
      const std::string& text,
      double score,
      finding::Evidence evidence,
      const std::string& next) {
    finding::Finding f;
    f.subject = "program";
    f.category = category;
    f.summary = text;
    f.score = score;
    f.evidence.push_back(std::move(evidence));
    f.next_step = next;
    out_.findings.push_back(std::move(f));
  }

  void fault() {
    const Fault& fault = connected_.unit().fault();
    if (fault.cause == FaultCause::None)
      return;
    char text[96];
    std::snprintf(
        text,
        sizeof text,
        "The tile stopped: %s at pc 0x%x, 0x%x.",
        std::string(fault_name(fault.cause)).c_str(),
        fault.pc,
        fault.address);
    find(
        "fault",
        text,
        1,
        {"address", double(fault.address), "", "FAULT register"},
        "run 'lento tile verify' on the image");
  }

  void endless() {
    if (connected_.init_ends() && connected_.main_ends())
      return;
    find(
        "endless",
        std::string(connected_.init_ends() ? "main or finish" : "init") + " did not end.",
        1,
        {"cycles that a region ran", double(counters_.active_cycles), "cycles", "tile"},
        "bound its loops; 'lento tile verify' names them");
  }

  void unverified() {
    if (report_.accepted)
      return;
    std::string why = "interrupted";
    if (!report_.violations.empty())
      why = describe(report_.violations.front());
    find(
        "unverified",
        "The verifier does not accept the image: " + why + ".",
        1,
        {"violations", double(report_.violations.size()), "", "lento tile verify"},
        "no tile would load it; mend the program");
  }

  void arrivals() {
    const Arrivals& a = connected_.arrivals();
    if (a.early == 0)
      return;
    find(
        "arrival rate",
        count_of(a.early, "input") + " of " + std::to_string(counters_.inputs) +
            " came sooner than the declared " + std::to_string(image_.arrival_cycles) +
            " cycles after the one before, as close as " + count_of(a.least, "cycle") + ".",
        0.9,
        {"first at tile cycle", double(*a.first_early), "cycles", "recording"},
        "declare YPU_ARRIVAL(" + std::to_string(a.least) + "), or give the tile more cycles (--tile-cycles)");
  }

  uint64_t dropped(Drop cause) const {
    return counters_.dropped[size_t(cause)];
  }

  void drops() {
    const uint64_t lost = dropped(Drop::Running);
    const double share = counters_.inputs ? double(lost) / double(counters_.inputs) : 0;
    const bool breach = lost > 0 && !image_.drops_declared;
    const bool more = image_.drops_declared && report_.accepted && connected_.arrivals().early == 0 &&
                      share > report_.predicted_drop_share + 1e-9;
    if (!breach && !more)
      return;
    find(
        "drops",
        std::to_string(lost) + " of " + count_of(counters_.inputs, "input") + " (" +
            base::format_number(100 * share, 3) + " %) came while main ran and were lost; " +
            (breach ? "the image declares none."
                    : "at most " + base::format_number(100 * report_.predicted_drop_share, 3) +
                          " % were proved."),
        0.95,
        {"share of inputs lost", share, "", "drop counter of the tile"},
        "a queue (--queue), a shorter main, or YPU_DROPS_EXPECTED");
  }

  // Judges the output of the whole run. The bytes that one run of each region may put out at once are allowed
  // in addition to the rate.
  void output() {
    const double allowed =
        double(image_.output_bytes) / double(image_.output_cycles) * double(counters_.cycles) +
        double(std::max(report_.main.worst_bytes, uint64_t{image_.output_bytes})) +
        double(report_.init.worst_bytes + report_.finish.worst_bytes);
    if (double(counters_.output_bytes) <= allowed)
      return;
    find(
        "output rate",
        std::to_string(counters_.output_bytes) + " bytes in " + std::to_string(counters_.cycles) +
            " cycles, declared are " + std::to_string(image_.output_bytes) + " per " +
            std::to_string(image_.output_cycles) + ".",
        0.9,
        {"bytes", double(counters_.output_bytes), "B", "output FIFO"},
        "declare YPU_OUTPUT as it is");
  }

  void summary() {
    const uint64_t lost = counters_.total_dropped();
    const std::string processed = std::to_string(counters_.inputs - lost) + " of " +
                                  std::to_string(counters_.inputs) + " inputs were processed";
    const std::string covered =
        count_of(counters_.inputs, "input") + " in " + count_of(counters_.cycles, "cycle");
    finding::sort_findings(out_.findings);
    finding::judged(out_, covered);
    out_.verdict = out_.findings.empty() ? processed + "; what the image declares held."
                                         : out_.findings.front().summary + " " + processed + ".";
  }

  const Image& image_;
  const VerifyReport& report_;
  const ConnectedTile& connected_;
  const TileCounters& counters_;
  Diagnosis& out_;
};

void add_facts(const Loaded& loaded, const Tile& unit, Diagnosis& d) {
  const TileCounters& c = unit.counters();
  const auto count = [&](const std::string& name, uint64_t n) {
    d.facts.emplace_back(name, std::to_string(n));
  };
  d.facts.emplace_back("verified", loaded.report.accepted ? "yes" : "NO");
  count("cycles", c.cycles);
  count("cycles a region ran", c.active_cycles);
  count("instructions", c.instructions);
  count("inputs", c.inputs);
  count("declared cycles between inputs", loaded.image.arrival_cycles);
  count("runs of main", c.started);
  count("inputs streamed", c.streamed);
  for (int i = 0; i < kDrops; ++i) {
    count("dropped: " + std::string(drop_name(static_cast<Drop>(i))), c.dropped[size_t(i)]);
  }
  count("cycles hist.in waited", c.starved_cycles);
  count("longest main, cycles", c.worst_main_cycles);
  if (loaded.report.accepted)
    count("longest main, proved", loaded.report.main.worst_cycles);
  count("output bytes", c.output_bytes);
  count("cycles the output was full", c.output_stalls);
  d.facts.emplace_back("status", status_name(unit.status()));
}

}  // namespace

Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress) {
  const Loaded loaded = load_image(options, progress);
  const std::string map_text = base::read_file(options.map, 1 << 20);
  const VcdMap map = parse_vcd_map(map_text, options.map);
  const VerifyReport& proved = loaded.report;
  const uint64_t proved_end = proved.main.worst_cycles + proved.finish.worst_cycles;
  ConnectedTile connected(options, loaded.image);
  connected.load(kPatience + (proved.accepted ? proved.init.worst_cycles : 0));
  base::ReadReport report;
  report.strict = options.strict;
  const bool whole = read_vcd(options.recording, map, report, [&](const VcdCycle& cycle) {
    connected.feed(cycle);
    return !progress.stopped();
  });
  connected.finish(kPatience + (proved.accepted ? 8 * proved_end : 0));
  Diagnosis d;
  d.scale = "tile";
  d.title = "A tile on a recorded block";
  add_facts(loaded, connected.unit(), d);
  Verdict(loaded, connected, d).judge();
  if (!whole)
    d.verdict += " Interrupted before the end of the recording.";
  d.inputs = {
      {"image", options.load.image, base::digest(loaded.bytes)},
      {"map", options.map, base::digest(map_text)}};
  d.options = {
      {"queue", std::to_string(options.queue)},
      {"tile cycles", std::to_string(options.tile_cycles)}};
  finding::add_read_report(d, report);
  if (connected.unit().counters().inputs == 0) {
    finding::cannot_judge(
        d,
        "the recording has no input for this image",
        "check the map's IORegs and valid signals against YPU_INPUTS, and the trigger");
  }
  return d;
}

}  // namespace lento::tile
