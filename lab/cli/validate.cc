// lento-lab validate: recomputes every published figure that the predictor is compared with.
#include "lab/predict/validate.h"

#include <algorithm>

#include "base/file.h"
#include "base/scan/csv.h"
#include "base/units.h"
#include "lab/cli/commands.h"
#include "lab/cli/validate_training.h"
#include "lab/predict/doors.h"
#include "lab/predict/kernel_bars.h"
#include "lab/predict/leave_out.h"
#include "lab/predict/serving_fit.h"

namespace lento::lab {
namespace {

using base::format_exact;
using base::format_number;
using base::OutputFile;
using base::percent;
using finding::Diagnosis;
using finding::TableFigure;

// Returns predicted over measured against the measured time, with one group for each limit that `shown`
// accepts.
template <class Shown>
finding::ScatterFigure residuals_of(const predict::Validation& validation, const Shown& shown) {
  finding::ScatterFigure scatter;
  scatter.x_name = "measured (s)";
  scatter.y_name = "predicted / measured";
  scatter.log_x = true;
  for (const predict::Residual& r : validation.residuals) {
    if (!shown(r.bar))
      continue;
    if (scatter.groups.empty() || scatter.groups.back().name != r.bar)
      scatter.groups.push_back({r.bar, {}, false});
    scatter.groups.back().points.push_back({r.measured_s, r.predicted_s / r.measured_s, "", false});
  }
  return scatter;
}

// Fills in how many limits are reached and the table of them.
void add_limits(Diagnosis& d, const std::string& title, const std::string& basis, TableFigure table) {
  const auto column = size_t(std::ranges::find(table.columns, "reached") - table.columns.begin());
  const auto reached = std::ranges::count_if(table.rows, [&](const std::vector<std::string>& row) {
    return row[column] == "yes";
  });
  d.verdict = std::to_string(reached) + " of " + std::to_string(table.rows.size()) + " limits are reached.";
  d.figures.push_back({title, basis, std::move(table)});
}

Diagnosis to_diagnosis(const predict::Validation& validation) {
  Diagnosis d;
  d.scale = "predict";
  d.title = "Published figures, recomputed";
  TableFigure table;
  table.columns = {"what", "rows", "published", "limit", "ours", "reached", "how"};
  for (const predict::Bar& bar : validation.bars) {
    table.rows.push_back(
        {bar.what,
         std::to_string(bar.rows),
         bar.published,
         percent(bar.limit),
         percent(bar.ours),
         bar.reached ? "yes" : "no",
         bar.note});
    d.facts.emplace_back(
        bar.what,
        percent(bar.ours) + " of at most " + percent(bar.limit) + (bar.reached ? "" : " NOT REACHED") +
            ", published " + bar.published + ", " + std::to_string(bar.rows) + " rows");
  }
  add_limits(d, "Limits", "Mean relative error unless the row says otherwise.", std::move(table));
  for (const predict::Bar& bar : validation.bars) {
    if (bar.reached)
      continue;
    const auto missed = residuals_of(validation, [&bar](const std::string& what) {
      return what == bar.what;
    });
    if (!missed.groups.empty())
      d.figures.push_back({"Not reached: " + bar.what, "Every row; 1 is exact.", missed});
  }
  const auto all = residuals_of(validation, [](const std::string&) {
    return true;
  });
  if (!all.groups.empty())
    d.figures.push_back({"Residuals", "Every row of every table; 1 is exact.", all});
  return d;
}

void write_residuals(const std::string& path, const predict::Validation& validation) {
  OutputFile file(path);
  file.write("class,row,predicted_s,measured_s\n");
  for (const predict::Residual& r : validation.residuals) {
    file.write(
        base::csv_line(
            {r.bar, std::to_string(r.row), format_exact(r.predicted_s), format_exact(r.measured_s)}) +
        "\n");
  }
  file.commit();
}

void write_errors(const std::string& path, const std::vector<predict::HoldOutCell>& cells) {
  OutputFile file(path);
  file.write(
      "# Errors of predictions: half and nine tenths of rows lie within; written by lento-lab validate "
      "--errors\n");
  file.write("kind,chip,regime,rows,p50,p90\n");
  for (const predict::HoldOutCell& c : cells)
    file.write(
        base::csv_line(
            {c.kind,
             c.chip,
             c.regime,
             std::to_string(c.rows),
             format_number(c.p50, 3),
             format_number(c.p90, 3)}) +
        "\n");
  file.commit();
}

// Writes the scalars of fused kernels as the product ships them.
void write_kernel_constants(const std::string& path, const std::vector<predict::KernelConstants>& all) {
  OutputFile file(path);
  file.write("# Scalars of fused kernels; written by lento-lab validate --kernel-constants\n");
  file.write("kind,chip,framework,format,kernel,rows,scalars\n");
  for (const predict::KernelConstants& c : all) {
    std::string line(predict::name(c.kind));
    for (const std::string& part : {c.chip, c.framework, c.format, c.kernel, std::to_string(c.rows)})
      line += "," + part;
    for (size_t i = 0; i < predict::scalars_of(c.kind).size(); ++i)
      line += "," + format_number(c.scalars[i], 4);
    file.write(line + "\n");
  }
  file.commit();
}

void write_kernel_residuals(const std::string& path, const std::vector<predict::JudgedKernel>& judged) {
  OutputFile file(path);
  file.write("kind,chip,framework,row,predicted_s,measured_s,roofline_s,never_measured_s\n");
  for (const predict::JudgedKernel& j : judged) {
    file.write(
        base::csv_line(
            {std::string(predict::name(j.kind)),
             j.chip,
             j.framework,
             std::to_string(j.index),
             format_exact(j.predicted_s),
             format_exact(j.measured_s),
             format_exact(j.roofline_s),
             format_exact(j.stranger_s)}) +
        "\n");
  }
  file.commit();
}

Diagnosis kernels(const std::string& folder, const std::string& residuals, const base::Progress& progress) {
  Diagnosis d;
  d.scale = "predict";
  d.title = "Fused kernels of serving, on rows that were not fitted";
  TableFigure table;
  table.columns = {
      "what",
      "rows",
      "median",
      "mean",
      "roofline mean",
      "aim of the median",
      "reached",
      "never measured: median"};
  const std::vector<predict::JudgedKernel> judged =
      predict::judge_kernels(predict::kernel_rows(folder), progress);
  if (!residuals.empty())
    write_kernel_residuals(residuals, judged);
  const std::vector<predict::KernelBar> bars = predict::kernel_bars(judged);
  for (const predict::KernelBar& b : bars) {
    table.rows.push_back(
        {b.what,
         std::to_string(b.rows),
         percent(b.median),
         percent(b.mean),
         percent(b.roofline_mean),
         percent(b.limit),
         b.reached() ? "yes" : "no",
         percent(b.stranger_median)});
    d.facts.emplace_back(
        b.what,
        percent(b.median) + " median of at most " + percent(b.limit) + ", " + percent(b.mean) +
            " mean of at most half of the roofline's " + percent(b.roofline_mean) +
            (b.reached() ? "" : " NOT REACHED") + ", " + std::to_string(b.rows) +
            " rows; without any row of the chip " + percent(b.stranger_median) + " median");
  }
  add_limits(
      d,
      "Fused kernels",
      "Each row predicted with scalars fitted to three quarters of the rows, it being in the fourth.",
      std::move(table));
  return d;
}

void write_serving_constants(const std::string& path, const predict::ServingTable& table) {
  OutputFile file(path);
  file.write("# Software of serving; written by lento-lab validate --serving-constants\n");
  file.write(
      "chip,framework,step_s,layer_s,kernels,prefill,first_s,skipped,look,balance,pool_prefill,pool_first_"
      "s\n");
  for (const auto& [key, c] : table) {
    std::string line = key.first + "," + key.second;
    for (const double value :
         {c.step_s,
          c.layer_s,
          c.kernels,
          c.prefill,
          c.first_s,
          c.skipped,
          c.look,
          c.balance,
          c.pool_prefill,
          c.pool_first_s})
      line += "," + format_number(value, 4);
    file.write(line + "\n");
  }
  file.commit();
}

// Compares the answers of all interfaces for every row. A difference of one bit counts.
Diagnosis all_doors(const std::string& folder, const std::string& path, const base::Progress& progress) {
  const predict::AskedRows asked = predict::ask_all_doors(folder, path + ".run.yaml", progress);
  OutputFile file(path);
  file.write("table,row,system,table_s,yaml_s,api_s,config_s\n");
  size_t differ = 0;
  size_t configured = 0;
  Diagnosis d;
  for (const predict::AskedRow& r : asked.rows) {
    differ += !r.same();
    if (!r.refused.empty())
      d.notes.push_back(r.table + " row " + std::to_string(r.row) + ": " + r.refused);
    configured += r.config_s.has_value();
    const std::string config = r.config_s ? format_exact(*r.config_s) : "";
    file.write(
        base::csv_line(
            {r.table,
             std::to_string(r.row),
             r.system,
             format_exact(r.table_s),
             format_exact(r.yaml_s),
             format_exact(r.api_s),
             config}) +
        "\n");
  }
  file.commit();
  d.scale = "predict";
  d.title = "One question through every door";
  d.verdict = std::to_string(differ) + " of " + std::to_string(asked.rows.size()) + " rows differ, " +
              std::to_string(configured) + " of them asked as config.json too.";
  for (const auto& [reason, rows] : asked.not_answered)
    d.notes.push_back(std::to_string(rows) + " rows not answered: " + reason);
  return d;
}

void write_serving_residuals(const std::string& path, const std::vector<predict::JudgedPoint>& judged) {
  OutputFile file(path);
  file.write(
      "deployment,in_flight,first_s,first_measured_s,per_token_s,per_token_measured_s,tokens_per_s,"
      "tokens_per_s_measured\n");
  for (const predict::JudgedPoint& j : judged) {
    const auto& run = std::get<predict::ServingRun>(j.point->question.what);
    file.write(
        base::csv_line(
            {j.point->deployment,
             std::to_string(run.traffic.together),
             format_number(j.time.first_token_s.p50, 4),
             format_number(j.point->first_s, 4),
             format_number(j.time.per_token_s.p50, 4),
             format_number(j.point->per_token_s, 4),
             format_number(j.time.output_tokens_per_s, 5),
             format_number(j.point->output_per_s, 5)}) +
        "\n");
  }
  file.commit();
}

Diagnosis serving(const std::string& folder, const std::string& residuals, const base::Progress& progress) {
  Diagnosis d;
  d.scale = "predict";
  d.title = "Serving, on deployments that were not fitted";
  TableFigure table;
  table.columns = {"what", "loads", "median error", "aim", "reached"};
  const std::vector<predict::ServedPoint> points = predict::served_points(folder);
  const std::vector<predict::JudgedPoint> judged = predict::judge_serving(points, progress);
  if (!residuals.empty())
    write_serving_residuals(residuals, judged);
  const std::vector<predict::ServingBar> bars = predict::serving_bars(judged);
  for (const predict::ServingBar& b : bars) {
    table.rows.push_back(
        {b.what, std::to_string(b.rows), percent(b.median), percent(b.limit), b.reached() ? "yes" : "no"});
    d.facts.emplace_back(
        b.what,
        percent(b.median) + " of at most " + percent(b.limit) + (b.reached() ? "" : " NOT REACHED") + ", " +
            std::to_string(b.rows) + " loads");
  }
  add_limits(
      d,
      "Serving",
      "Medians of the error; each deployment in a part that was not fitted.",
      std::move(table));
  return d;
}

Diagnosis left_out(const std::string& folder, const std::string& chip, const base::Progress& progress) {
  Diagnosis d;
  d.scale = "predict";
  d.title = "Products on " + chip + ", its own rows left out";
  TableFigure table;
  table.columns =
      {"what", "constants fitted to", "rows", "mean", "median", "bias", "inside nine tenths", "roofline"};
  for (const predict::LeftOut& l : predict::leave_out(folder, chip, progress)) {
    table.rows.push_back(
        {l.what,
         l.constants,
         std::to_string(l.ours.rows),
         percent(l.ours.mean),
         percent(l.ours.median),
         percent(l.ours.bias),
         percent(l.inside_p90),
         percent(l.roofline)});
    d.facts.emplace_back(
        l.what,
        percent(l.ours.mean) + " mean, " + percent(l.ours.median) + " median, " + percent(l.inside_p90) +
            " inside nine tenths, " + std::to_string(l.ours.rows) + " rows, constants of " + l.constants +
            "; roofline fitted to its own rows " + percent(l.roofline));
  }
  d.verdict = "Errors of a chip that was never measured, by precision.";
  d.figures.push_back({"Left out", "All rows of the chip; none was fitted.", std::move(table)});
  return d;
}

struct ValidateArguments {
  std::string folder;
  std::string residuals;
  std::string errors;
  std::string left_out;
  std::string kernel_constants;
  std::string serving_constants;
  std::string doors;
  std::string stacks;
  bool kernels = false;
  bool serving = false;
  bool training = false;
};

// Returns the errors of fused kernels, served loads and training steps, each predicted with scalars that were
// fitted to others.
std::vector<predict::HoldOutCell> software_cells(const std::string& from, const base::Progress& progress) {
  auto seen = predict::seen_errors(predict::judge_kernels(predict::kernel_rows(from), progress));
  const auto add = [&seen](const std::vector<predict::SeenError>& more) {
    seen.insert(seen.end(), more.begin(), more.end());
  };
  const auto points = predict::served_points(from);
  add(predict::seen_errors(predict::judge_serving(points, progress)));
  const auto runs = predict::published_runs(from);
  add(predict::seen_errors(predict::judge_training(runs, progress)));
  return predict::cells_of(seen);
}

// Writes what the arguments ask for instead of a comparison; returns whether they do.
bool only_written(const ValidateArguments& o, const std::string& from, const base::Progress& progress) {
  if (!o.stacks.empty())
    write_stacks(o.stacks, predict::fit_stacks(predict::published_runs(from), -1, progress));
  else if (!o.kernel_constants.empty())
    write_kernel_constants(o.kernel_constants, predict::fit_kernels(predict::kernel_rows(from), progress));
  else if (!o.serving_constants.empty())
    write_serving_constants(
        o.serving_constants,
        predict::fit_serving(predict::served_points(from), -1, progress));
  else if ((o.serving || o.kernels) && !o.errors.empty())
    write_errors(o.errors, software_cells(from, progress));
  else
    return false;
  return true;
}

Diagnosis compared(const ValidateArguments& o, const std::string& from, const base::Progress& progress) {
  if (!o.doors.empty())
    return all_doors(from, o.doors, progress);
  if (o.training)
    return validate_training(from, o.residuals, progress);
  if (!o.left_out.empty())
    return left_out(from, o.left_out, progress);
  if (o.serving)
    return serving(from, o.residuals, progress);
  if (o.kernels)
    return kernels(from, o.residuals, progress);
  const predict::Validation validation = predict::validate(from, progress);
  if (validation.bars.empty())
    throw base::Error(
        {from},
        "no measured table was found here",
        "name the folder that holds train_korthikanti_a100.csv and the others");
  if (!o.residuals.empty())
    write_residuals(o.residuals, validation);
  if (!o.errors.empty())
    write_errors(o.errors, predict::hold_out_cells(from));
  return to_diagnosis(validation);
}

}  // namespace

void add_validate(Command& app, Context& context) {
  Command* command =
      app.add_subcommand("validate", "Recompute every published figure: published, ours, deviation");
  auto o = std::make_shared<ValidateArguments>();
  command->add_option(
      "FOLDER",
      o->folder,
      "The measured tables; default: data/predict under LENTO_SHARED or ../shared");
  const auto file = [command](const char* flag, std::string& path, const char* help) {
    command->add_option(flag, path, help)->type_name("FILE");
  };
  file("--residuals", o->residuals, "Also write predicted and measured seconds of every row");
  file(
      "--errors",
      o->errors,
      "Also write the error of every kind of question, chip and regime, as `lento predict` states it; with "
      "--kernels or --serving, only those of fused kernels and served loads");
  command->add_option(
      "--leave-out",
      o->left_out,
      "Instead: products on this chip, with constants fitted to its relatives' rows only");
  file(
      "--kernel-constants",
      o->kernel_constants,
      "Instead: fit the scalars of fused kernels to all rows and write them, as the product ships them");
  command->add_flag("--kernels", o->kernels, "Instead: the fused kernels of serving only");
  file(
      "--serving-constants",
      o->serving_constants,
      "Instead: fit the software of serving to all public deployments and write it");
  command->add_flag("--serving", o->serving, "Instead: served deployments only");
  file(
      "--doors",
      o->doors,
      "Instead: ask every training row as a table, YAML and config.json, and write the answers");
  file(
      "--training-stacks",
      o->stacks,
      "Instead: fit the software of training to all published runs and write lines for data sheets");
  command->add_flag("--training", o->training, "Instead: published training runs only");
  context.add_output_options(*command);
  example(
      *command,
      "lento-lab validate ../shared/data/predict --residuals residuals.csv --html validation.html");
  command->callback([&context, o] {
    const std::string from = o->folder.empty() ? predict::published_tables() : o->folder;
    if (!only_written(*o, from, context.progress()))
      context.show(compared(*o, from, context.progress()));
  });
}

}  // namespace lento::lab
