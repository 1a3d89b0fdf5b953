// Runs the fit of chip/fit on healthy runs, writes the twin, and lists the fitted classes, clock and parts
// as facts and a table.
#include "chip/calibrate.h"

#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/fit/fit.h"
#include "chip/fit/fit_file.h"
#include "chip/fit/tuning.h"
#include "chip/map/file/map_file.h"
#include "chip/recording.h"
#include "chip/replay.h"

namespace lento::chip {
namespace {

using base::format_number;

constexpr int kDigits = 4;

finding::Figure class_table(const Fit& fit) {
  finding::TableFigure table;
  table.columns = {"parts", "times slower than the file", "error, %", "spread, %", "told"};
  for (const FittedClass& c : fit.classes) {
    int all = 0;
    int told = 0;
    for (const FittedPart& part : fit.parts)
      if (part.component.part == c.part) {
        ++all;
        told += part.told;
      }
    table.rows.push_back(
        {class_name(c.part),
         format_number(c.ratio, kDigits),
         format_number(100 * c.error, 2),
         format_number(100 * c.spread, 2),
         std::to_string(told) + " of " + std::to_string(all)});
  }
  return {"Kinds of parts", "Against the chip file; the error is one standard deviation.", table};
}

// Lists the parts that differ significantly from the other parts of their kind.
finding::Figure part_table(const Fit& fit, const Grid& grid) {
  finding::TableFigure table;
  table.columns = {"part", "times slower than its kind", "error, %"};
  for (const FittedPart& part : fit.parts)
    if (std::abs(part.ratio - 1) > 2 * part.error)
      table.rows.push_back(
          {name_of(part.component, grid),
           format_number(part.ratio, kDigits),
           format_number(100 * part.error, 2)});
  return {"Parts of their own", "Those that differ from their kind by more than two errors.", table};
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

void add_notes(finding::Diagnosis& d, const Fit& fit, const Grid& grid) {
  d.notes.insert(d.notes.end(), fit.notes.begin(), fit.notes.end());
  std::vector<std::string> untold;
  for (const FittedPart& part : fit.parts) {
    const std::string name = name_of(part.component, grid);
    if (!part.told)
      untold.push_back(name);
    if (part.ill != 1)
      d.notes.push_back(
          name + " is " + format_number(part.ill, 3) +
          " times as slow as its kind, more than healthy parts differ: it is not taken for the chip");
  }
  if (!untold.empty())
    d.notes.push_back("not told, too little passed through them: " + listed(untold));
  d.notes.push_back(
      "not told, as the chip file says: latencies, start-up and router cycles, issue window, slots, and the "
      "noise of cores and links");
}

std::string verdict_of(const Fit& fit) {
  std::string differing;
  for (const FittedClass& c : fit.classes)
    if (c.ratio != 1)
      differing += (differing.empty() ? "" : ", ") + class_name(c.part) + " " + format_number(c.ratio, 3);
  if (differing.empty())
    return fit.differs ? "Parts differ among themselves, their kinds are as the chip file says."
                       : "The chip is as its file says.";
  return "Times as slow as the chip file says: " + differing + ".";
}

}  // namespace

finding::Diagnosis calibrate_chip(const ChipCalibrationOptions& options, const base::Progress& progress) {
  if (options.records.empty())
    throw base::Error({}, "no healthy run was given");
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  ChipDiagnosisOptions reading;
  reading.recorder = options.recorder;
  reading.strict = options.strict;
  std::vector<ChipRecording> recorded;
  for (const std::string& path : options.records)
    recorded.push_back(read_recording("healthy run", path, {chip, program}, reading));
  std::vector<FitRun> runs;
  for (const ChipRecording& one : recorded)
    runs.push_back(
        {&one.sketch,
         with_declared(sketch_replays(program, one.sketch, options.seed, progress), file.twin.own)});
  const Fit fit = fit_twin(runs, chip, options.tolerance);
  const Grid grid(chip);
  finding::Diagnosis d;
  d.scale = "chip";
  d.title = program.name + " on " + chip.name + ", healthy";
  d.seed = options.seed;
  d.verdict = verdict_of(fit);
  d.facts.emplace_back("runs", std::to_string(runs.size()));
  d.facts.emplace_back("simulated for it", std::to_string(fit.simulated));
  d.facts.emplace_back("mean square of what is left, in healthy deviations", format_number(fit.misfit, 3));
  d.figures = {class_table(fit), part_table(fit, grid)};
  add_notes(d, fit, grid);
  for (const ChipRecording& one : recorded)
    add_recording(d, one);
  d.inputs.push_back({"chip", options.chip, base::digest(base::read_file(options.chip))});
  d.inputs.push_back({"mapping", options.mapping, base::digest(base::read_file(options.mapping))});
  if (!fit.explains())
    finding::cannot_judge(
        d,
        "most transfers differ from those of the fitted chip by more than its noise (" +
            format_number(fit.scatter, 2) + " deviations)",
        "give a chip file that is nearer to the chip",
        std::to_string(runs.size()) + " runs");
  else if (!options.output.empty())
    base::write_file(options.output, write_fit(fit, chip));
  return d;
}

}  // namespace lento::chip
