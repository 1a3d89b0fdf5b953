// Runs a tile on a recording of a block's signals and judges the image's declarations. The recording is
// streamed, one block cycle at a time, into the cycle model of the tile. Init may take 10^6 tile cycles
// more than the verifier proved for it. After the recording, the waiting inputs are taken, and then the last
// main and finish run. Each of these two phases may take 10^6 tile cycles plus 8 times the time proved for
// main and finish together (run_recording). It is a finding when a limit is exceeded. Cost: about one step of
// the model per tile cycle, and as much again for a second run (QueueTrial) when inputs were dropped.
#include "tile/run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "tile/block/preset.h"
#include "tile/connected_tile.h"
#include "tile/record.h"

namespace lento::tile {
namespace {

using finding::Diagnosis;

constexpr uint32_t kMostQueue = 64;        // largest input queue that is tried
constexpr uint64_t kPatience = 1'000'000;  // tile cycles for init or finish without a proved bound

struct Loaded {
  Image image;
  VerifyReport report;
  std::string bytes;
};

// Returns the image with its verifier report and bytes. Throws base::Error when the tile refuses the image.
// With `unsigned_image` the verifier runs, but only a file that cannot be read or is no image is refused.
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

// The losses of a second run with an input queue of kMostQueue inputs, and the most inputs that waited in it
// at once.
struct QueueTrial {
  uint64_t lost = 0;
  size_t longest = 0;
};

struct TileRun {
  ConnectedTile connected;
  VcdReading reading;
  base::ReadReport report;
  std::optional<QueueTrial> with_queue;
  bool taps_count = false;  // some input of the map counts events
};

// Runs the image on the whole recording, or until the user stops it. `connection` sets the input queue, the
// tile's clock and the waveform file.
TileRun run_recording(
    const TileRunOptions& options,
    const ConnectedTile::Options& connection,
    const Loaded& loaded,
    const SignalMap& map,
    const base::Progress& progress) {
  const VerifyReport& proved = loaded.report;
  const uint64_t proved_end = proved.main.worst_cycles + proved.finish.worst_cycles;
  TileRun run{ConnectedTile(connection, loaded.image), {}, {}, {}, false};
  run.connected.load(kPatience + (proved.accepted ? proved.init.worst_cycles : 0));
  run.report.strict = options.strict;
  run.reading = read_vcd(options.recording, map, run.report, [&](const VcdCycle& cycle) {
    run.connected.feed(cycle);
    return !progress.stopped();
  });
  run.connected.finish(kPatience + (proved.accepted ? 8 * proved_end : 0));
  return run;
}

std::string count_of(uint64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// Returns the beginning of a finding's summary, up to the first comma or semicolon behind the first colon.
std::string first_clause(const std::string& summary) {
  const size_t consequence = std::min(summary.find(": "), summary.size());
  std::string clause = summary.substr(0, summary.find_first_of(",;", consequence));
  if (clause.ends_with('.'))
    clause.pop_back();
  return clause;
}

class Verdict {
 public:
  Verdict(const Loaded& loaded, const TileRun& run, Diagnosis& out)
      : image_(loaded.image),
        report_(loaded.report),
        connected_(run.connected),
        reading_(run.reading),
        with_queue_(run.with_queue),
        taps_count_(run.taps_count),
        counters_(connected_.unit().counters()),
        out_(out) {
  }

  // Adds a finding for each breach of the image's declarations and each loss of inputs, and writes the
  // verdict.
  void judge() {
    fault();
    endless();
    unverified();
    arrivals();
    drops();
    crossing();
    foreign_clocks();
    unknown_bits();
    full_accumulators();
    output();
    summary();
  }

 private:
  // Adds a finding whose subject is the program, with `text` as its summary and `next` as the step to take
  // next. `score` is from 0 to 1.
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

  // Reports the fault that stopped the tile, if there was one (FaultCause).
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

  // Reports that init, or main or finish, did not end within its limit of tile cycles (run_recording).
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

  // Reports that the verifier does not accept the image, with its first violation.
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

  // Reports inputs that came sooner after the one before than the image's declared arrival period.
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

  void add_evidence(finding::Evidence evidence) {
    out_.findings.back().evidence.push_back(std::move(evidence));
  }

  static std::string percent(double share) {
    return base::format_number(100 * share, 3);
  }

  uint64_t dropped(Drop cause) const {
    return counters_.dropped[size_t(cause)];
  }

  // Reports a finding as soon as one input was dropped while main ran, because counts of inputs are wrong
  // from then on. The finding's score (0 to 1) is higher when the image does not declare that drops are
  // acceptable, or when more were dropped than the verifier proved possible.
  void drops() {
    const uint64_t lost = dropped(Drop::Running);
    if (lost == 0)
      return;
    const double share = double(lost) / double(counters_.inputs);
    const double proved = report_.predicted_drop_share * double(counters_.inputs) + report_.drop_burst;
    const bool more = report_.accepted && connected_.arrivals().early == 0 && double(lost) > proved + 1e-6;
    std::string text = std::to_string(lost) + " of " + count_of(counters_.inputs, "input") + " (" +
                       percent(share) + " %) were dropped while main ran: its counts are not " +
                       "to be trusted, and may be short by as many";
    if (connected_.longest_hole() > 0)
      text += ", and no input was taken for up to " + std::to_string(connected_.longest_hole()) + " cycles";
    if (taps_count_)
      text += "; what taps count is exact all the same";
    if (!image_.drops_declared)
      text += "; the image declares none";
    else if (more)
      text += "; at most " + percent(report_.predicted_drop_share) + " % over many runs were proved";
    find(
        "drops",
        text + ".",
        image_.drops_declared && !more ? 0.92 : 0.95,
        {"share of inputs lost", share, "", "drop counter of the tile"},
        remedy_for_drops());
    add_evidence({"mean time of main", connected_.mean_main_cycles(), "cycles", "tile"});
    add_evidence({"mean time between inputs", connected_.arrivals().mean_gap(), "cycles", "recording"});
  }

  // Returns advice on lost inputs. When the second run (QueueTrial) lost none, it names the length of queue
  // that was enough.
  std::string remedy_for_drops() const {
    const std::string slower = "filter before the tile, shorten main, or give it more cycles (--tile-cycles)";
    if (!with_queue_)
      return slower;
    const bool falls_behind = connected_.mean_main_cycles() > connected_.arrivals().mean_gap();
    if (with_queue_->lost == 0)
      return "--queue " + std::to_string(with_queue_->longest) + " loses none" +
             (falls_behind ? " here, but main takes longer than inputs are apart on average, so that a "
                             "longer recording loses some; "
                           : "; or ") +
             slower;
    return "--queue " + std::to_string(kMostQueue) + " still loses " +
           percent(double(with_queue_->lost) / double(counters_.inputs)) + " %; " + slower;
  }

  // Reports inputs of other clocks than the block's that were lost before they reached the tile, because they
  // came faster than tile cycles.
  void crossing() {
    if (connected_.crossing_lost() + reading_.late_edges == 0)
      return;
    find(
        "clock crossing",
        count_of(connected_.crossing_lost() + reading_.late_edges, "input") +
            " of other clocks came faster than tile cycles and were lost.",
        0.95,
        {"inputs lost",
         double(connected_.crossing_lost() + reading_.late_edges),
         "",
         "crossing before the tile"},
        "give the tile more cycles (--tile-cycles), or take the fastest clock as the map's own");
  }

  // Reports signals that probably belong to another clock than the one that samples them in the map, with the
  // number of changes that were not seen.
  void foreign_clocks() {
    for (const UnsampledSignal& s : reading_.unsampled) {
      find(
          "foreign clock",
          "'" + s.signal + "' changes with " + s.likely + " and was sampled by " + s.clock + ": " +
              std::to_string(s.lost) + " of its " + count_of(s.changes, "change") + " (" +
              percent(double(s.lost) / double(s.changes)) + " %) fell between two samples and were not seen.",
          0.9,
          {"share of changes not seen", double(s.lost) / double(s.changes), "", "recording"},
          "give the input its own clock in the map: 'clock: " + s.likely + "'");
    }
  }

  // Reports inputs with bits that are neither 0 nor 1. The program computes with 0 in their place.
  void unknown_bits() {
    if (reading_.unknown_inputs == 0)
      return;
    const double share = double(reading_.unknown_inputs) / double(std::max<uint64_t>(counters_.inputs, 1));
    find(
        "unknown bits",
        std::to_string(reading_.unknown_inputs) + " of " + count_of(counters_.inputs, "input") + " (" +
            percent(share) + " %) had bits that are x or z in the recording and were read as 0: sums and " +
            "counts over them are not to be trusted.",
        0.9,
        {"share of inputs with unknown bits", share, "", "recording"},
        "give the input a 'valid' signal that is high only when its bits are driven, or begin after reset");
  }

  // Reports increments that were lost because an accumulator of the histogram was at its maximum.
  void full_accumulators() {
    const uint64_t lost = connected_.unit().histogram().lost();
    if (lost == 0)
      return;
    find(
        "full accumulator",
        "Accumulators of the histogram unit were full at " + std::to_string(kAccumulatorMax) + ": " +
            count_of(lost, "count") + " were not added.",
        0.95,
        {"counts lost", double(lost), "", "saturation of the histogram unit"},
        "send and clear the histogram (ypu_emit) before an accumulator can hold so much");
  }

  // Compares the bytes of output of the whole run with those of the declared rate over its tile cycles. The
  // most bytes that one run of each region can send are allowed in addition.
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

  // Sorts the findings and writes the verdict: the beginning of the first finding's summary, and how many
  // inputs were processed.
  void summary() {
    const uint64_t lost = counters_.total_dropped();
    const std::string processed = std::to_string(counters_.inputs - lost) + " of " +
                                  std::to_string(counters_.inputs) + " inputs were processed";
    const std::string covered =
        count_of(counters_.inputs, "input") + " in " + count_of(counters_.cycles, "cycle");
    finding::sort_findings(out_.findings);
    finding::judged(out_, covered);
    if (out_.findings.empty()) {
      out_.verdict = processed + "; what the image declares held.";
      return;
    }
    const finding::Finding& first = out_.findings.front();
    out_.verdict = first_clause(first.summary) + ".";
    if (first.category != "drops")  // which has both counts
      out_.verdict += " " + processed + ".";
  }

  const Image& image_;
  const VerifyReport& report_;
  const ConnectedTile& connected_;
  const VcdReading& reading_;
  const std::optional<QueueTrial>& with_queue_;
  bool taps_count_;
  const TileCounters& counters_;
  Diagnosis& out_;
};

// Returns bars of the inputs that main took, and of those lost for each reason (Drop).
finding::Figure fate_of_inputs(const TileCounters& c) {
  finding::BarsFigure bars;
  bars.y_name = "inputs";
  bars.series = {"taken", "lost"};
  bars.categories = {"taken by main"};
  bars.values = {{double(c.inputs - c.total_dropped())}, {0}};
  for (int i = 0; i < kDrops; ++i) {
    if (c.dropped[size_t(i)] == 0)
      continue;
    bars.categories.push_back("dropped: " + std::string(drop_name(static_cast<Drop>(i))));
    bars.values[0].push_back(0);
    bars.values[1].push_back(double(c.dropped[size_t(i)]));
  }
  return {"Where the inputs went", "", std::move(bars)};
}

// Adds the verifier's result, the counters of the tile and its status to the facts.
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

namespace {

// Decodes the output into records, adds their figures, and writes the records to options.rows unless that is
// "".
void show_records(
    const TileRunOptions& options,
    const RecordLayout& layout,
    const ConnectedTile& connected,
    Diagnosis& d) {
  const RecordRows rows = decode_rows(layout, connected.output(), [&](uint64_t bytes) {
    return connected.cycle_of(bytes);
  });
  d.facts.emplace_back("records", std::to_string(rows.rows.size()));
  std::ranges::move(figures_of(layout, rows), std::back_inserter(d.figures));
  if (rows.rest_bytes > 0) {
    d.notes.push_back(
        count_of(rows.rest_bytes, "byte") + " at the end of the output do not fill a record of " +
        count_of(layout.bytes, "byte") + ".");
  }
  if (!options.rows.empty())
    write_rows(options.rows, layout, rows);
}

}  // namespace

Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress) {
  const Loaded loaded = load_image(options, progress);
  const bool is_preset = !options.preset.empty();
  const std::string map_text =
      is_preset ? options.preset + "\n" + options.clock : base::read_file(options.map, 1 << 20);
  const SignalMap map =
      is_preset ? preset_map(options.preset, options.clock) : parse_signal_map(map_text, options.map);
  std::optional<RecordLayout> layout;
  if (!options.record.empty())
    layout = read_record(options.record);
  std::optional<RtlRun> rtl;
  if (options.rtl)
    rtl.emplace(loaded.image, options.queue);
  const ConnectedTile::Options connection{
      options.queue,
      options.tile_cycles,
      options.wave,
      !options.record.empty(),
      rtl ? &*rtl : nullptr};
  TileRun run = run_recording(options, connection, loaded, map, progress);
  run.taps_count = std::ranges::any_of(map.inputs, [](const SignalMap::Input& input) {
    return input.tap && input.tap->take == Tap::Take::Count;
  });
  const bool drops = run.connected.unit().counters().dropped[size_t(Drop::Running)] > 0;
  if (drops && options.queue < kMostQueue && std::filesystem::is_regular_file(options.recording) &&
      run.reading.whole) {
    const TileRun trial =
        run_recording(options, {kMostQueue, options.tile_cycles, "", false, nullptr}, loaded, map, progress);
    if (trial.reading.whole)
      run.with_queue = {
          trial.connected.unit().counters().dropped[size_t(Drop::Running)],
          trial.connected.longest_queue()};
  }
  if (!options.output.empty())
    base::write_file(options.output, run.connected.output());
  Diagnosis d;
  d.scale = "tile";
  d.title = "A tile on a recorded block";
  add_facts(loaded, run.connected.unit(), d);
  d.figures = {fate_of_inputs(run.connected.unit().counters())};
  if (run.reading.unknown_inputs > 0)
    d.facts.emplace_back("inputs with unknown bits, read as 0", std::to_string(run.reading.unknown_inputs));
  if (layout)
    show_records(options, *layout, run.connected, d);
  if (rtl)
    add_rtl_outcome(rtl->replay(), run.connected.unit(), run.connected.output(), d);
  Verdict(loaded, run, d).judge();
  if (!run.reading.whole)
    d.verdict += " Interrupted before the end of the recording.";
  d.inputs = {
      {"image", options.load.image, base::digest(loaded.bytes)},
      {"map", is_preset ? "preset " + options.preset : options.map, base::digest(map_text)}};
  d.options = {
      {"queue", std::to_string(options.queue)},
      {"tile cycles", std::to_string(options.tile_cycles)}};
  finding::add_read_report(d, run.report);
  if (run.connected.unit().counters().inputs == 0) {
    finding::cannot_judge(
        d,
        "the recording has no input for this image",
        "check the map's IORegs and valid signals against YPU_INPUTS, and the trigger");
  }
  return d;
}

}  // namespace lento::tile
