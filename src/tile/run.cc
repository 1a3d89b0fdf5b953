// Runs a tile on a recording of a block's signals and judges the image's declarations. The recording is
// streamed, one block cycle at a time, into the cycle model of the tile. Init may take 10^6 tile cycles
// more than the verifier proved for it. After the recording, the waiting inputs are taken, and then the last
// main and finish run. Each of these two phases may take 10^6 tile cycles plus 8 times the time proved for
// main and finish together (run_recording). It is a finding when a limit is exceeded. Cost: about one step of
// the model per tile cycle, and as much again for a second run (QueueTrial) when inputs were dropped.
#include "tile/run.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "tile/block/preset.h"
#include "tile/record.h"
#include "tile/run_findings.h"

namespace lento::tile {
namespace {

using finding::Diagnosis;

constexpr uint64_t kPatience = 1'000'000;  // tile cycles for init or finish without a proved bound

// Returns the image with its verifier report and bytes. Throws base::Error when the tile refuses the image.
// With `unsigned_image` the verifier runs, but only a file that cannot be read or is no image is refused.
LoadedImage load_image(const TileRunOptions& options, const base::Progress& progress) {
  const std::string& path = options.load.image;
  LoadedImage out;
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

// Runs the image on the whole recording, or until the user stops it. `connection` sets the input queue, the
// tile's clock and the waveform file.
TileRun run_recording(
    const TileRunOptions& options,
    const ConnectedTile::Options& connection,
    const LoadedImage& loaded,
    const SignalMap& map,
    const base::Progress& progress) {
  const VerifyReport& proved = loaded.report;
  const uint64_t proved_end = proved.main.worst_cycles + proved.finish.worst_cycles;
  TileRun run{ConnectedTile(connection, loaded.image), {}, {}, {}};
  run.connected.load(kPatience + (proved.accepted ? proved.init.worst_cycles : 0));
  run.report.strict = options.strict;
  run.reading = read_vcd(options.recording, map, run.report, [&](const VcdCycle& cycle) {
    run.connected.feed(cycle);
    return !progress.stopped();
  });
  run.connected.finish(kPatience + (proved.accepted ? 8 * proved_end : 0));
  return run;
}

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
void add_facts(const LoadedImage& loaded, const Tile& unit, Diagnosis& d) {
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
        count_text(rows.rest_bytes, "byte") + " at the end of the output do not fill a record of " +
        count_text(layout.bytes, "byte") + ".");
  }
  if (!options.rows.empty())
    write_rows(options.rows, layout, rows);
}

}  // namespace

Diagnosis run_tile(const TileRunOptions& options, const base::Progress& progress) {
  const LoadedImage loaded = load_image(options, progress);
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
  const std::vector<std::string>& absent = run.reading.absent;
  for (const SignalMap::Input& input : map.inputs) {
    const auto is_of_it = [&](const std::string& name) {
      return name == input.signal || (!input.valid.empty() && name == input.valid[0]);
    };
    if (std::ranges::any_of(absent, is_of_it))
      continue;
    run.mapped |= 1u << input.ioreg;
    run.sparse |= uint32_t(!input.valid.empty() || input.tap) << input.ioreg;
  }
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
  for (const std::string& name : absent)
    d.notes.push_back(
        "The recording has no '" + name + "': what the preset takes by it is left out, and reads 0.");
  if (layout)
    show_records(options, *layout, run.connected, d);
  if (rtl)
    add_rtl_outcome(rtl->replay(), run.connected.unit(), run.connected.output(), d);
  add_findings(loaded, run, d);
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
