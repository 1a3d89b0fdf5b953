// Tables, bars and folded stacks of the case study PICS.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/units.h"
#include "lab/tile/cases.h"
#include "program/symbols.h"
#include "tile/unit/build.h"

namespace lento::tile {
namespace {

using base::format_number;
using base::percent;
using finding::Figure;
using program::Symbols;

constexpr size_t kBars = 12;
constexpr size_t kCauses = 6;
// Six program counters, nine events, and two indices of a reorder buffer of 128.
constexpr CoreSignals kAllOnes = {4, {~0u, ~0u, ~0u, ~0u}, true, ~0u, ~0u, 0x1ff, 127, 127};

std::string source_of(const Symbols& symbols, uint32_t pc) {
  const auto frames = symbols.frames(pc);
  if (frames.empty() || frames.front().line == 0)
    return base::hex(pc);
  return std::filesystem::path(frames.front().file).filename().string() + ":" +
         std::to_string(frames.front().line) + " " + base::hex(pc);
}

// One bar per instruction, one part per cause.
Figure stacks_figure(const std::string& name, const CycleStacks& stacks, const Symbols& symbols) {
  finding::BarsFigure out;
  out.y_name = "share of cycles, %";
  std::vector<CycleStacks::Bar> bars = stacks.bars();
  bars.resize(std::min(bars.size(), kBars));
  CycleStacks causes;  // by signature, over the bars shown
  for (const CycleStacks::Bar& bar : bars)
    for (const auto& [signature, parts] : bar.causes)
      causes.add(signature, 0, parts);
  std::vector<CycleStacks::Bar> largest = causes.bars();
  largest.resize(std::min(largest.size(), kCauses));
  const auto share = [&](uint64_t parts) {
    return 100 * double(parts) / double(std::max<uint64_t>(stacks.total(), 1));
  };
  for (const CycleStacks::Bar& bar : bars)
    out.categories.push_back(source_of(symbols, bar.pc));
  for (const CycleStacks::Bar& cause : largest) {
    out.series.push_back(event_names(uint16_t(cause.pc)));
    std::vector<double>& values = out.values.emplace_back();
    for (const CycleStacks::Bar& bar : bars) {
      const auto at = std::ranges::find_if(bar.causes, [&](const auto& c) {
        return c.first == cause.pc;
      });
      values.push_back(at == bar.causes.end() ? 0 : share(at->second));
    }
  }
  return {
      "Cycle stacks of " + name,
      "The instructions that cost most, by cause, as the tile sees them.",
      out};
}

// Returns folded stacks, outermost frame first: program, function, file:line 0xpc and cause, separated by
// semicolons, then the samples.
std::string folded(const std::string& name, const CycleStacks& stacks, const Symbols& symbols) {
  std::string out;
  for (const CycleStacks::Bar& bar : stacks.bars()) {
    std::string frames = name;
    const auto found = symbols.frames(bar.pc);
    for (auto it = found.rbegin(); it != found.rend(); ++it)
      frames += ";" + it->function;
    frames += ";" + source_of(symbols, bar.pc);
    for (const auto& [signature, parts] : bar.causes)
      out += frames + ";" + event_names(signature) + " " + std::to_string(parts) + "\n";
  }
  return out;
}

// Returns the error against period and clock ratio on one program.
Figure sweep_figure(const riscv::ElfImage& program, const std::string& name, const base::Progress& progress) {
  finding::TableFigure table;
  table.columns = {"period", "tile clock / core clock", "records", "error, all cycles", "in PCs never sent"};
  for (const uint32_t period : {250u, 1000u, 4000u}) {
    if (progress.stopped())
      break;
    const Image image = pics_image(period);
    for (const double clock : {0.5, 1.0, 2.0}) {
      PicsOptions options;
      options.period = period;
      options.tile_clock = clock;
      const PicsRun run = run_pics(program, image, options, progress);
      if (progress.stopped())  // a run that was cut has no row
        break;
      table.rows.push_back(
          {std::to_string(period),
           format_number(clock),
           std::to_string(run.records),
           percent(run.error),
           percent(run.dropped_share)});
    }
  }
  return {"Error against period and clock ratio, " + name, "The period counts tile cycles.", table};
}

}  // namespace

finding::Diagnosis
pics_case(const PicsPaths& paths, const PicsOptions& options, const base::Progress& progress) {
  finding::Diagnosis d;
  d.scale = "tile";
  d.title = "Per-instruction cycle stacks of an out-of-order core";
  const Image image = pics_image(options.period);
  finding::TableFigure table;
  table.columns = {
      "program",
      "cycles",
      "IPC",
      "records",
      "top instruction",
      "its cause",
      "its cycles",
      "error, all cycles",
      "same order",
      "in PCs never sent"};
  std::string flame;
  double sum = 0;
  double worst = 0;
  double dropped = 0;
  double done = 0;
  double bytes = 0;
  double records = 0;
  std::vector<Figure> figures;
  for (const std::string& path : paths.programs) {
    const std::string name = std::filesystem::path(path).stem().string();
    const Symbols symbols(path);
    const PicsRun run = run_pics(riscv::read_elf(path), image, options, progress);
    if (progress.stopped())  // a run that was cut has no row
      break;
    if (run.tile.total() == 0)
      throw base::Error({path}, "the program ends before the first sample");
    const CycleStacks::Bar top = run.tile.bars().front();
    table.rows.push_back(
        {name,
         std::to_string(run.cycles),
         format_number(double(run.instructions) / double(run.cycles), 3),
         std::to_string(run.records),
         source_of(symbols, top.pc),
         event_names(top.causes.front().first),
         percent(double(top.parts) / double(run.tile.total())),
         percent(run.error),
         run.same_order ? "yes" : "no",
         percent(run.dropped_share)});
    figures.push_back(stacks_figure(name, run.tile, symbols));
    if (!paths.folded.empty())
      flame += folded(name, run.tile, symbols);
    bytes += double(run.output_bytes);
    records += double(run.records);
    sum += run.error;
    worst = std::max(worst, run.error);
    dropped = std::max(dropped, run.dropped_share);
    progress("programs", ++done, double(paths.programs.size()));
  }
  if (!paths.folded.empty())
    base::write_file(paths.folded, flame);
  d.facts = {
      {"programs", format_number(done)},
      {"mean height error over all cycles", percent(sum / std::max(1.0, done))},
      {"worst program", percent(worst)},
      {"most cycles in program counters never sent", percent(dropped)},
      {"bits into the tile", std::to_string(bits_in(FlushMemory().inputs(kAllOnes)))},
      {"bytes a record", format_number(bytes / std::max(1.0, records))},
      {"lines of the program", std::to_string(build_program(shipped_source("pics.c"), "pics.c").main_lines)}};
  d.verdict =
      "The tile's stacks are " + percent(sum / std::max(1.0, done)) + " off the golden model of every cycle.";
  d.figures.push_back(
      {"Programs", "Errors are means over instructions with 1 % of the cycles or more.", table});
  for (Figure& figure : figures)
    d.figures.push_back(std::move(figure));
  if (!paths.programs.empty() && !progress.stopped())
    d.figures.push_back(sweep_figure(
        riscv::read_elf(paths.programs.front()),
        std::filesystem::path(paths.programs.front()).stem().string(),
        progress));
  d.options = {
      {"period", std::to_string(options.period)},
      {"tile clock / core clock", format_number(options.tile_clock)}};
  d.notes = {"The core is a model: it does not run the wrong path and has no exceptions."};
  return d;
}

}  // namespace lento::tile
