// lento-lab field: fits the constants of software stacks to runs as people report them, and judges the fit
// on sources that were left out.
#include <cmath>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "lab/cli/commands.h"
#include "lab/predict/field_fit.h"
#include "lab/predict/field_tables.h"
#include "lab/predict/training_runs.h"
#include "predict/expect/run_spread.h"

namespace lento::lab {
namespace {

using base::format_number;
using base::percent;
using predict::JudgedCase;
using predict::Work;

struct FieldArguments {
  std::string rows = "share/lento/field_rows.csv";
  std::string tables;
  std::string write;
  std::string runs;
};

struct Bars {
  std::vector<double> errors;
  std::vector<double> stated;
  std::vector<double> over_limit;
  size_t too_fast = 0;
  size_t inside = 0;
  size_t below_limit = 0;
  std::map<std::string, double> inside_of;  // share of each source's runs
  std::map<std::string, double> runs_of;
};

// Compares each run of this kind of work (empty: of both) with the interval that follows from the runs of
// other sources, those that their own source calls slow left out.
Bars bars_of(
    const predict::SoftwareTable& table,
    const std::vector<JudgedCase>& judged,
    std::optional<Work> work) {
  Bars out;
  for (const JudgedCase& j : judged) {
    const predict::FieldRow& row = j.at->row;
    if (work && row.work != *work)
      continue;
    const std::string source = row.group();
    const predict::RunSpread spread(table, row.work, source);
    const double wide = spread.half_width(j.over_limit(), j.known_stack, 0.9);
    const double off = j.log_error() - spread.typical_error();
    const bool in = std::abs(off) <= wide;
    out.errors.push_back(std::abs(std::exp(-off) - 1));
    out.stated.push_back(std::exp(wide) - 1);
    out.over_limit.push_back(row.measured_s / j.limit_s);
    out.too_fast += off > 0;
    out.inside += in;
    out.below_limit += out.over_limit.back() < 1;
    out.inside_of[source] += in;
    out.runs_of[source] += 1;
  }
  return out;
}

void add_bars(finding::TableFigure& table, const std::string& what, const Bars& b) {
  if (b.errors.empty())
    return;
  double by_source = 0;
  for (const auto& [source, runs] : b.runs_of)
    by_source += b.inside_of.at(source) / runs;
  const auto n = double(b.errors.size());
  table.rows.push_back(
      {what,
       std::to_string(b.errors.size()),
       std::to_string(b.runs_of.size()),
       percent(evidence::median(b.errors)),
       percent(double(b.too_fast) / n),
       percent(double(b.inside) / n),
       percent(by_source / double(b.runs_of.size())),
       percent(evidence::median(b.stated)),
       format_number(evidence::median(b.over_limit), 3),
       std::to_string(b.below_limit)});
}

void write_runs(
    const std::string& path,
    const predict::SoftwareTable& table,
    const std::vector<JudgedCase>& judged) {
  base::OutputFile file(path);
  file.write(
      "kind,source,stack,model,chip,devices,precision,measured_s,predicted_s,limit_s,stated,known_stack\n");
  for (const JudgedCase& j : judged) {
    const predict::FieldRow& r = j.at->row;
    const predict::RunSpread spread(table, r.work, r.group());
    const double stated = std::exp(spread.half_width(j.over_limit(), j.known_stack, 0.9)) - 1;
    file.write(
        base::csv_line(
            {std::string(predict::name(r.work)),
             r.source,
             j.at->stack,
             r.model,
             r.chip,
             std::to_string(r.devices),
             r.precision,
             format_number(r.measured_s, 5),
             format_number(j.predicted_s * std::exp(spread.typical_error()), 5),
             format_number(j.limit_s, 5),
             format_number(stated, 3),
             j.known_stack ? "1" : "0"}) +
        "\n");
  }
  file.commit();
}

finding::Diagnosis field(const FieldArguments& options, const base::Progress& progress) {
  base::ReadReport report;
  std::vector<std::string> refused;
  const auto rows = predict::read_field_rows(options.rows, report);
  std::vector<predict::FieldCase> cases = predict::field_cases(rows, refused);
  const size_t listed = cases.size();
  for (const predict::FieldCase& c :
       predict::table_cases(options.tables.empty() ? predict::published_tables() : options.tables))
    cases.push_back(c);
  const std::vector<JudgedCase> judged = predict::judge_field(cases, progress);
  const predict::SoftwareTable table = predict::software_table(cases, judged);
  if (!options.write.empty()) {
    base::OutputFile file(options.write);
    file.write(predict::format_software(table));
    file.commit();
  }
  if (!options.runs.empty())
    write_runs(options.runs, table, judged);
  finding::Diagnosis d;
  d.scale = "predict";
  d.title = "Software of training and serving, fitted to runs as people report them";
  d.verdict = std::to_string(listed) + " listed runs and " + std::to_string(cases.size() - listed) +
              " of makers' tables fitted; each listed run is judged without its source.";
  finding::TableFigure figure;
  figure.columns = {
      "what",
      "runs",
      "sources",
      "median error",
      "predicted too fast",
      "inside",
      "inside by source",
      "stated nine tenths, median",
      "measured over limit, median",
      "below the limit"};
  add_bars(figure, "all", bars_of(table, judged, std::nullopt));
  add_bars(figure, "training", bars_of(table, judged, Work::Train));
  add_bars(figure, "serving", bars_of(table, judged, Work::Serve));
  for (const std::vector<std::string>& row : figure.rows)
    d.facts.emplace_back(
        row[0],
        row[1] + " runs, " + row[2] + " sources: median error " + row[3] + ", too fast " + row[4] +
            ", inside " + row[5] + " (by source " + row[6] + "), stated " + row[7] + ", over limit " +
            row[8] + ", below it " + row[9]);
  d.figures.push_back({"Bars", "Leave one source out.", std::move(figure)});
  for (const std::string& one : refused)
    d.notes.push_back("Not timed: " + one);
  finding::add_read_report(d, report);
  return d;
}

}  // namespace

void add_field(Command& app, Context& context) {
  Command* command =
      app.add_subcommand("field", "Fit the software of stacks to public runs and judge it by source");
  auto options = std::make_shared<FieldArguments>();
  command->add_option("ROWS", options->rows, "The list of runs (docs/formats/field-rows.md)")
      ->capture_default_str();
  command->add_option("--tables", options->tables, "Folder of makers' tables; default: as lento-lab validate")
      ->type_name("FOLDER");
  command->add_option("--write", options->write, "Write the table of software, as the product ships it")
      ->type_name("FILE");
  command->add_option("--runs", options->runs, "Write each run with its prediction")->type_name("FILE");
  context.add_output_options(*command);
  example(*command, "lento-lab field share/lento/field_rows.csv");
  command->callback([&context, options] {
    context.show(field(*options, context.progress()));
  });
}

}  // namespace lento::lab
