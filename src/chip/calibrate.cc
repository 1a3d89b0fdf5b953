// Fits the model of chip/model to each healthy run, averages the fitted rates weighted by their precision,
// and lists classes and parts that differ from the chip file.
#include "chip/calibrate.h"

#include <cmath>

#include "base/file.h"
#include "base/units.h"
#include "chip/chip_file.h"
#include "chip/map/file/map_file.h"
#include "chip/model_judge.h"
#include "chip/model_twin.h"
#include "chip/recording.h"
#include "evidence/distribution.h"
#include "finding/inputs.h"

namespace lento::chip {
namespace {

using base::format_number;

constexpr const char* kClasses[] = {"cores", "links", "memory units", "DRAM ports"};
constexpr int kDigits = 4;

std::string percent_of_log(double log_factor) {
  return format_number(100 * std::expm1(log_factor), 2);
}

Effect mean_of(const Effect& one, double weight, const Effect& next) {
  const double precision = weight / (one.deviation * one.deviation);
  const double added = 1 / (next.deviation * next.deviation);
  const double sum = precision + added;
  return {(precision * one.log_factor + added * next.log_factor) / sum, std::sqrt((weight + 1) / sum)};
}

// Adds the rates of a run to the mean of `runs` earlier runs, weighted by their precision. The standard
// deviation of the mean is that of a single run, because all runs share causes of error such as the prior.
void add_run(FittedRates& mean, double runs, const FittedRates& next) {
  for (size_t k = 0; k < mean.classes.size(); ++k) {
    mean.classes[k] = mean_of(mean.classes[k], runs, next.classes[k]);
    mean.spread[k] = (runs * mean.spread[k] + next.spread[k]) / (runs + 1);
  }
  for (size_t p = 0; p < mean.parts.size(); ++p)
    mean.parts[p] = mean_of(mean.parts[p], runs, next.parts[p]);
}

finding::Figure class_table(const FittedRates& rates) {
  finding::TableFigure table;
  table.columns = {"parts", "times slower than the file", "error, %", "spread, %"};
  for (size_t k = 0; k < rates.classes.size(); ++k)
    table.rows.push_back(
        {kClasses[k],
         format_number(std::exp(rates.classes[k].log_factor), kDigits),
         percent_of_log(rates.classes[k].deviation),
         percent_of_log(rates.spread[k])});
  return {"Kinds of parts", "Against the chip file; the error is one standard deviation.", table};
}

// Lists the parts whose log factor relative to their class differs from 0 by more than its 90 % interval.
finding::Figure part_table(const FittedRates& rates, const Grid& grid) {
  finding::TableFigure table;
  table.columns = {"part", "times slower than its kind", "error, %"};
  const auto add = [&](const Component& component, uint32_t column) {
    const Effect& e = rates.parts[column];
    if (std::abs(e.log_factor) > evidence::kNinety * e.deviation)
      table.rows.push_back(
          {name_of(component, grid),
           format_number(std::exp(e.log_factor), kDigits),
           percent_of_log(e.deviation)});
  };
  const InfluenceColumns columns(grid);
  for (int core = 0; core < grid.core_count(); ++core)
    add({Part::Core, core}, columns.core(core));
  for (int id = 0; id < grid.link_count(); ++id)
    if (const int back = grid.find_link(grid.link(id).to, grid.link(id).from); back < 0 || back > id)
      add(link_component(grid, id), columns.link(id));
  for (int core = 0; core < grid.core_count(); ++core)
    add({Part::MemoryUnit, core}, columns.memory_unit(core));
  for (int port = 0; port < grid.port_count(); ++port)
    add({Part::DramPort, port}, columns.port(port));
  return {"Parts of their own", "Those outside the 90 % interval around their kind.", table};
}

std::string verdict_of(const FittedRates& rates) {
  constexpr double kWorthMentioning = 0.01;
  std::string differing;
  for (size_t k = 0; k < rates.classes.size(); ++k)
    if (const double log_factor = rates.of_class(k); std::abs(log_factor) > kWorthMentioning)
      differing += (differing.empty() ? "" : ", ") + std::string(kClasses[k]) + " " +
                   format_number(std::exp(log_factor), 3);
  return differing.empty() ? "The chip is as its file says."
                           : "Times as slow as the chip file says: " + differing + ".";
}

// The mean of the fitted rates, and the notes, of the runs that were judged.
struct Calibration {
  FittedRates rates;
  spec::Chip chip;  // with the settings of the last run
  double runs = 0;
  std::vector<std::string> notes;
};

void calibrate_by(const ModelJudge& judge, Calibration& out) {
  const FittedRates rates = rates_of(*judge.model(), judge.fitted());
  if (out.runs == 0)
    out.rates = rates;
  else
    add_run(out.rates, out.runs, rates);
  ++out.runs;
  out.chip.core.issue_window = judge.fitted().chip.core.issue_window;
  out.chip.network.buffer_segments = judge.fitted().chip.network.buffer_segments;
  for (const std::string& note : judge.fitted().notes)
    out.notes.push_back(note);
  if (const PartTest* part = judge.fitted().suspicious(kTolerance))
    out.notes.push_back(
        name_of(part->component, Grid(out.chip)) + " is about " + format_number(part->factor(), 3) +
        " times as slow as its kind, more than healthy parts differ: it is not taken for the chip");
}

}  // namespace

finding::Diagnosis calibrate_chip(const ChipCalibrationOptions& options, const base::Progress& progress) {
  if (options.records.empty())
    throw base::Error({}, "no healthy run was given");
  const ChipFile file = read_chip_file(options.chip);
  const spec::Chip& chip = file.twin.chip;
  const Program program = expand(read_map(options.mapping), chip, options.mapping);
  const ChipUnderTest of{chip, program};
  ChipDiagnosisOptions reading;
  reading.chip = options.chip;
  reading.mapping = options.mapping;
  reading.models = options.models;
  reading.strict = options.strict;
  finding::Diagnosis d;
  Calibration made{{}, chip};
  for (const std::string& path : options.records) {
    ModelJudge judge(reading, of, file.twin.own, progress);
    const ChipRecording one = read_recording("healthy run", path, of, reading, judge.prepare());
    add_recording(d, one);
    if (!judge.judged())
      continue;
    reading.learnt = judge.model();
    calibrate_by(judge, made);
  }
  d.scale = "chip";
  d.title = program.name + " on " + chip.name + ", healthy";
  d.seed = options.seed;
  d.facts.emplace_back("runs", format_number(made.runs));
  d.inputs.push_back(finding::input_of("chip", options.chip));
  d.inputs.push_back(finding::input_of("mapping", options.mapping));
  if (made.runs < double(options.records.size())) {
    finding::cannot_judge(
        d,
        "the model of a chip is fitted to probe records of one chip, and one of these runs is a sketch, or "
        "the chip or the run is too large for it",
        "give probe records, of fewer inferences or of a smaller mapping",
        format_number(made.runs) + " runs");
    return d;
  }
  d.verdict = verdict_of(made.rates);
  d.notes.insert(d.notes.end(), made.notes.begin(), made.notes.end());
  d.figures = {class_table(made.rates), part_table(made.rates, Grid(chip))};
  d.notes.push_back(
      "not fitted, as the chip file says: latencies, start-up and router cycles, slots, and the noise of "
      "cores "
      "and links");
  if (!options.output.empty())
    base::write_file(options.output, spec::write_chip(with_rates(made.chip, made.rates).chip));
  return d;
}

}  // namespace lento::chip
