// Judges one run of a chip: reads or makes the sketch, fits a twin, lets the method find slow components,
// confirms them with the model of chip/model, and writes the report.
#include "chip/diagnose.h"

#include <iterator>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/fit/fit_file.h"
#include "chip/fit/possible.h"
#include "chip/map/file/declared.h"
#include "chip/map/file/map_file.h"
#include "chip/model_judge.h"
#include "chip/recording.h"
#include "chip/replay.h"
#include "chip/simulation_count.h"
#include "finding/inputs.h"

namespace lento::chip {
namespace {

using base::format_number;
using finding::Diagnosis;

void add_options(Diagnosis& d, const ChipDiagnosisOptions& options, const ChipRecording& recorded) {
  d.seed = options.seed;
  d.options.emplace_back(
      "recorder budget, bytes a core",
      std::to_string(recorded.sketch.options().budget_bytes));
  d.options.emplace_back("method", options.method.label);
  d.options.emplace_back("recorder", recorded.recorder);
  d.options.emplace_back("replay", options.replay ? "on" : "off");
  d.options.emplace_back("fit", options.fit && options.replay ? "on" : "off");
  if (!options.fit_file.empty())
    d.options.emplace_back("fit from", options.fit_file);
  if (options.false_alarms != DetectOptions{}.false_alarms)
    d.options.emplace_back("false alarms a healthy run", format_number(options.false_alarms));
  if (options.tolerance >= 0)
    d.options.emplace_back("tolerance", format_number(options.tolerance));
}

// Turns an all-clear into "cannot judge" when only a part of the run was recorded. Findings in the recorded
// part remain valid.
void require_coverage(Diagnosis& d, const ChipRecording& recorded) {
  d.facts.emplace_back(
      "share of the mapping's records that were recorded",
      format_number(100 * recorded.share, 4) + " %");
  if (!recorded.damage.empty())
    return finding::cannot_judge(
        d,
        recorded.damage,
        "copy the file again, or record the run again",
        d.covered);
  if (recorded.gap.empty())
    return;
  if (d.outcome == finding::Outcome::Healthy)
    finding::cannot_judge(
        d,
        recorded.gap,
        "record whole inferences with the probes of every core on",
        d.covered);
  else
    d.notes.push_back(recorded.gap + ": what was not recorded was not judged");
}

// Throws when the file declares unequal parts and nothing is simulated. Expected times of unequal parts come
// from simulation, and without it the slower parts would be reported.
void require_simulation(const ChipDiagnosisOptions& options, const Deviations& declared) {
  if (declared == Deviations{} || (options.replay && options.method.method == "lento"))
    return;
  throw base::Error(
      {options.chip},
      "the chip has unequal parts, and what they should take is known by simulation alone",
      "leave --no-replay and --method out");
}

MethodResult judge_by_twin(
    const MethodChoice& method,
    const Sketch& judged,
    const spec::Chip& chip,
    const Program& program,
    const ReplayOf& replays,
    DetectOptions detect,
    const FitOptions& options) {
  // A healthy run is preferred for the fit, because it holds no fault that the fit could mistake for a
  // property of the chip.
  Fit fit = fit_twin(detect.healthy != nullptr ? *detect.healthy : judged, chip, options);
  if (detect.healthy != nullptr)
    fit = tested(fit, {&judged, options.replays});
  detect.healthy = nullptr;
  detect.replay = possible_replay(fit, replays, replay_seed(judged, 0));
  const Deviations declared = detect.own != nullptr ? *detect.own : Deviations{};
  const Deviations own = combined(fit.twin.own, declared);
  detect.own = &own;
  MethodResult out = judge(method, judged, fit.twin.chip, program, detect);
  if (!fit.explains()) {
    out.detection.reported.clear();
    out.detection.unjudged = "most transfers differ from those of the fitted chip by more than its noise (" +
                             format_number(fit.scatter, 2) + " deviations)";
  }
  out.detection.notes.insert(out.detection.notes.end(), fit.notes.begin(), fit.notes.end());
  out.numbers["fit_runs"] = fit.simulated;
  return out;
}

}  // namespace

MethodResult judge_chip(
    const MethodChoice& method,
    const Sketch& judged,
    const spec::Chip& chip,
    const Program& program,
    const ReplayOf& replays,
    DetectOptions detect,
    const FitOptions& fit_options) {
  const SimulationCount count;
  const ReplayOf counted = replays ? count.counting(replays) : ReplayOf{};
  if (counted)
    detect.replay = counted({chip, {}});
  FitOptions fit = fit_options;
  if (fit.replays)
    fit.replays = count.counting(fit.replays);
  const bool fits = method.method == "lento" && fit.replays;
  MethodResult out = fits ? judge_by_twin(method, judged, chip, program, counted, detect, fit)
                          : judge(method, judged, chip, program, detect);
  out.numbers["simulated_runs"] = count.runs();
  return out;
}

Diagnosis diagnose_chip(const ChipDiagnosisOptions& options, const base::Progress& progress) {
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  require_simulation(options, file.twin.own);
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  const ChipUnderTest of{chip, program};
  ModelJudge by_model(options, of, file.twin.own, progress);
  const ChipRecording recorded = read_recording("records", options.records, of, options, by_model.prepare());
  if (!options.sketch_out.empty())
    write_sketch(options.sketch_out, recorded.sketch);
  DetectOptions detect;
  detect.false_alarms = options.false_alarms;
  if (file.twin.own != Deviations{})
    detect.own = &file.twin.own;
  std::optional<ChipRecording> healthy;
  if (!options.healthy.empty()) {
    healthy = read_recording("healthy run", options.healthy, of, options, by_model.prepare_healthy());
    detect.healthy = &healthy->sketch;
  }
  std::vector<ChipRecording> further;
  for (const std::string& path : options.further)
    further.push_back(read_recording("further run", path, of, options, by_model.prepare_further(path)));
  ReplayOf replays;
  if (options.replay)
    replays = with_declared(sketch_replays(program, recorded.sketch, options.seed, progress), file.twin.own);
  FitOptions fit;
  if (options.fit)
    fit.replays = replays;
  fit.tolerance = options.tolerance;
  fit.buffers = !by_model.judged();
  std::optional<Fit> given;
  if (!options.fit_file.empty()) {
    given = read_fit(options.fit_file, chip);
    fit.given = &*given;
  }
  const spec::Chip fitted = by_model.chip_of(chip);
  MethodResult judged = judge_chip(options.method, recorded.sketch, fitted, program, replays, detect, fit);
  by_model.confirm_reported(judged.detection);
  by_model.doubt_all_clear(judged.detection);
  Diagnosis d = diagnose(judged.detection, recorded.sketch, chip, program);
  by_model.add_to(d);
  require_coverage(d, recorded);
  if (const auto runs = judged.numbers.find("simulated_runs"); options.replay && runs != judged.numbers.end())
    d.facts.emplace_back("runs simulated to judge it", format_number(runs->second));
  std::move(judged.figures.begin(), judged.figures.end(), std::back_inserter(d.figures));
  add_options(d, options, recorded);
  add_recording(d, recorded);
  if (healthy)
    add_recording(d, *healthy);
  for (const ChipRecording& run : further)
    add_recording(d, run);
  d.inputs.push_back(finding::input_of("chip", options.chip));
  d.inputs.push_back(finding::input_of("mapping", options.mapping));
  if (given)
    d.inputs.push_back(finding::input_of("fit", options.fit_file));
  return d;
}

}  // namespace lento::chip
