// Judges one run of a chip: reads or makes the sketch, fits the model of chip/model to its records, runs the
// detection method against simulations of the fitted chip, confirms its findings by the model, and writes the
// report.
#include "chip/diagnose.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/map/file/declared.h"
#include "chip/map/file/map_file.h"
#include "chip/model_judge.h"
#include "chip/model_twin.h"
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
  if (options.false_alarms != DetectOptions{}.false_alarms)
    d.options.emplace_back("false alarms a healthy run", format_number(options.false_alarms));
  if (options.tolerance != kTolerance)
    d.options.emplace_back("tolerance", format_number(options.tolerance));
}

// Turns every answer into "cannot judge" when the file is damaged, and an all-clear also when only a part of
// the run was recorded. Findings in the recorded part remain valid and get a note.
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

// Adds to an all-clear how slow a part of each main class would have had to be, from the facts of the model.
void state_least_seen(Diagnosis& d) {
  if (d.outcome != finding::Outcome::Healthy)
    return;
  std::string seen;
  for (const auto& [name, text] : d.facts)
    for (const std::string part : {"core", "link"})
      if (name.ends_with("would not pass as healthy, median of " + part + "s") && text.starts_with('x'))
        seen += (seen.empty() ? "a " : " or a ") + part + " " + text.substr(0, text.find(' '));
  if (!seen.empty() && d.verdict.ends_with('.'))
    d.verdict.insert(
        d.verdict.size() - 1,
        ": " + seen + " slower over the whole run would not pass as healthy");
}

// Throws base::Error when the chip file declares unequal parts and either nothing is simulated or the method
// is not Lento's. Expected times of unequal parts come from simulation, and without it the slower parts would
// be reported.
void require_simulation(const ChipDiagnosisOptions& options, const Deviations& declared) {
  if (declared == Deviations{} || (options.replay && options.method.method == "lento"))
    return;
  throw base::Error(
      {options.chip},
      "the chip has unequal parts, and what they should take is known by simulation alone",
      "leave --no-replay and --method out");
}

}  // namespace

MethodResult judge_chip(
    const MethodChoice& method,
    const Sketch& judged,
    const ChipUnderTest& of,
    const ReplayOf& replays,
    DetectOptions detect,
    ModelJudge* by_model) {
  const SimulationCount count;
  const ReplayOf counted = replays ? count.counting(replays) : ReplayOf{};
  Twin twin{of.chip, {}};
  const bool fitted = by_model != nullptr && by_model->judged() && counted;
  if (fitted) {
    twin = twin_of(*by_model->model(), by_model->fitted());
    detect.own = &twin.own;
    if (by_model->fitted_to_healthy())
      detect.healthy = nullptr;  // simulations of the chip fitted to the healthy run replace that run
    detect.replay = possible_replay(*by_model->model(), by_model->fitted(), counted, replay_seed(judged, 0));
  } else if (counted) {
    detect.replay = counted({of.chip, {}});
  }
  MethodResult out;
  if (fitted && by_model->quiet())
    out.detection.run_cycles = judged.end_cycles();
  else
    out = judge(method, judged, twin.chip, of.program, detect);
  if (fitted) {
    by_model->confirm_reported(out.detection);
    by_model->doubt_all_clear(out.detection);
    by_model->rank_leading(out.detection);
  }
  out.numbers["simulated_runs"] = count.runs() + (by_model != nullptr ? by_model->simulated() : 0);
  return out;
}

namespace {

struct JudgedRun {
  Diagnosis diagnosis;
  uint64_t records = 0;
  double seconds = 0;
  std::shared_ptr<const ChipModel> model;  // with which it was judged; nullptr: none
};

// Judges the run `options.records` by itself and, with the records of further runs, what all show together.
JudgedRun judge_run(
    const ChipDiagnosisOptions& options,
    const ChipFile& file,
    const ChipUnderTest& of,
    const base::Progress& progress) {
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
    replays =
        with_declared(sketch_replays(of.program, recorded.sketch, options.seed, progress), file.twin.own);
  MethodResult judged = judge_chip(options.method, recorded.sketch, of, replays, detect, &by_model);
  Diagnosis d = diagnose(judged.detection, recorded.sketch, of.chip, of.program);
  by_model.add_to(d);
  require_coverage(d, recorded);
  state_least_seen(d);
  if (const auto runs = judged.numbers.find("simulated_runs"); options.replay && runs != judged.numbers.end())
    d.facts.emplace_back("runs simulated to judge it", format_number(runs->second));
  std::move(judged.figures.begin(), judged.figures.end(), std::back_inserter(d.figures));
  add_options(d, options, recorded);
  add_recording(d, recorded);
  if (healthy)
    add_recording(d, *healthy);
  for (const ChipRecording& run : further)
    add_recording(d, run);
  const double seconds = double(judged.detection.run_cycles) / of.chip.clock_hz;
  return {std::move(d), recorded.sketch.records(), seconds, by_model.model()};
}

// Returns what a run shows by itself: "link9-10 x2.98", "nothing", or why it cannot be judged.
std::string outcome_of(const Diagnosis& d) {
  if (d.outcome == finding::Outcome::CannotJudge)
    return "cannot judge: " + d.reason;
  std::string out;
  for (const finding::Finding& f : d.findings)
    out += (out.empty() ? "" : ", ") + f.subject + (f.factor ? " x" + format_number(*f.factor, 3) : "");
  return out.empty() ? "nothing" : out;
}

// Adds what a further run shows by itself. A part that is named already gets it as evidence.
void add_run(Diagnosis& all, Diagnosis&& own, const std::string& name) {
  all.facts.emplace_back("in " + name, outcome_of(own));
  for (finding::Finding& f : own.findings) {
    const auto known = std::ranges::find(all.findings, f.subject, &finding::Finding::subject);
    if (known != all.findings.end()) {
      known->evidence.push_back({"slow in " + name + " as well", f.factor, "x", name});
      continue;
    }
    f.summary = "In " + name + ": " + f.summary;
    all.findings.push_back(std::move(f));
  }
  for (const std::string& note : own.notes)
    if (std::ranges::find(all.notes, note) == all.notes.end())
      all.notes.push_back(name + ": " + note);
}

// Judges each further run by itself too. A fault that lasts is evidence of all runs together, and one that
// came later is in its own run alone.
void add_further(JudgedRun& first, const ChipDiagnosisOptions& options, const auto& judge_again) {
  Diagnosis& d = first.diagnosis;
  // The reason of the first run that cannot be judged, as long as nothing is found.
  std::string reason = d.reason.empty() ? "" : options.records + ": " + d.reason;
  std::string remedy = d.remedy;
  d.facts.emplace_back("in " + options.records, outcome_of(d));
  for (const std::string& path : options.further) {
    JudgedRun run = judge_again(path);
    if (reason.empty() && !run.diagnosis.reason.empty()) {
      reason = path + ": " + run.diagnosis.reason;
      remedy = run.diagnosis.remedy;
    }
    add_run(d, std::move(run.diagnosis), path);
    first.records += run.records;
    first.seconds += run.seconds;
  }
  finding::sort_findings(d.findings);
  const std::string runs = std::to_string(1 + options.further.size());
  const std::string covered = std::to_string(first.records) + " records of " + runs + " runs over " +
                              base::format_quantity(first.seconds, base::Dimension::Time);
  if (d.findings.empty() && !reason.empty())
    return finding::cannot_judge(d, reason, remedy, covered);
  if (!d.findings.empty()) {
    d.verdict = d.findings.front().summary;
    if (!reason.empty())
      d.notes.push_back("Not judged: " + reason);
  }
  d.reason.clear();
  d.remedy.clear();
  finding::judged(d, covered);
}

}  // namespace

Diagnosis diagnose_chip(const ChipDiagnosisOptions& options, const base::Progress& progress) {
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  require_simulation(options, file.twin.own);
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  const ChipUnderTest of{chip, program};
  JudgedRun first = judge_run(options, file, of, progress);
  if (!options.further.empty())
    add_further(first, options, [&](const std::string& path) {
      ChipDiagnosisOptions alone = options;
      alone.records = path;
      alone.further.clear();
      alone.sketch_out.clear();
      alone.learnt = first.model;
      return judge_run(alone, file, of, progress);
    });
  Diagnosis d = std::move(first.diagnosis);
  d.inputs.push_back(finding::input_of("chip", options.chip));
  d.inputs.push_back(finding::input_of("mapping", options.mapping));
  return d;
}

}  // namespace lento::chip
