// lento predict: questions in, times out.
#include <ostream>

#include "base/csv.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/predict_design.h"
#include "predict/time/calibrate.h"
#include "predict/time/compare_run.h"
#include "predict/time/explain.h"
#include "predict/time/question.h"
#include "predict/time/workload.h"

namespace lento::cli {
namespace {

using predict::System;

struct Options {
  std::string workload, precision = "bf16";
  predict::RunOptions run;
  std::string table, system, measured;
  std::vector<std::string> measurements;
  double launch_us = 0;
  predict::TrainingFitOptions training;
  std::vector<std::string> scalars{"host_layer", "pointwise", "overlap", "library"};
};

// One answer a row; a row that cannot be understood keeps its columns, with empty answers, and is counted.
void answer_table(Context& context, const Options& options) {
  base::ReadReport report;
  report.strict = context.strict;
  base::CsvReader table(options.table, report);
  const predict::Dialect dialect = predict::dialect_of(table);
  std::optional<System> fixed;
  if (!options.system.empty()) fixed = system_of(options.system);
  std::vector<std::string> header = table.columns();
  header.insert(header.end(), {"predicted_s", "bound", "error_pct", "in_domain"});
  context.streams.out << base::csv_line(header) << "\n";
  while (table.next()) {
    std::vector<std::string> fields = table.row();
    try {
      const predict::Question question = predict::parse_question(dialect, table);
      const System system =
          predict::specialised(fixed ? *fixed : predict::read_system(question.device), question);
      const predict::Answer a = predict::answer(system, question);
      fields.insert(fields.end(), {base::format_exact(a.seconds), a.bound,
                                   base::format_number(100 * a.error, 3), a.in_domain ? "yes" : "no"});
    } catch (const base::Error& e) {
      report.skip(table.where(-1), e.what());
      fields.insert(fields.end(), 4, "");
    }
    context.streams.out << base::csv_line(fields) << "\n";
  }
  for (const auto& [reason, count] : report.reasons) context.warn(std::to_string(count) + " rows: " + reason);
}

predict::Question question_of(const Options& options, const std::string& bytes) {
  predict::RunOptions run = options.run;
  const auto precision = predict::parse_precision(options.precision);
  if (!precision)
    throw base::Error({"--precision"}, "precision '" + options.precision + "' is not known",
                      "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  run.precision = *precision;
  return predict::parse_workload(bytes, options.workload, run);
}

void compare_measured(Context& context, const Options& options) {
  if (options.system.empty())
    throw base::Error({}, "no system is named", "give --system h100, or a data sheet");
  base::ReadReport report;
  report.strict = context.strict;
  const predict::MeasuredRun run = predict::read_run(options.measured, report);
  std::optional<predict::Question> step;
  if (!options.workload.empty())
    step = question_of(options, base::read_file(options.workload, predict::kMostWorkloadBytes));
  finding::Diagnosis d = predict::compare_run(system_of(options.system), run, step);
  if (!step && !run.steps_s.empty())
    d.notes.push_back("The trace holds steps; name the workload to compare them too.");
  finding::add_read_report(d, report);
  context.show(std::move(d));
}

void answer_workload(Context& context, const Options& options) {
  if (options.system.empty())
    throw base::Error({}, "no system is named", "give --system h100, or a data sheet");
  const std::string bytes = base::read_file(options.workload, predict::kMostWorkloadBytes);
  finding::Diagnosis d = predict::explain(system_of(options.system), question_of(options, bytes));
  d.inputs.push_back(Context::input("workload", options.workload, bytes));
  context.show(std::move(d));
}

predict::TrainingFitOptions training_options(const Options& options) {
  predict::TrainingFitOptions out = options.training;
  for (const predict::StackScalar& s : predict::stack_scalars()) {
    if (std::find(options.scalars.begin(), options.scalars.end(), s.name) != options.scalars.end())
      out.scalars.push_back(&s);
  }
  return out;
}

void tell_skipped(std::ostream& out, const char* indent, size_t skipped) {
  if (skipped > 0) out << indent << skipped << " rows skipped: this system cannot do what they ask\n";
}

void print_training_fit(std::ostream& out, const Options& options, const predict::TrainingFit& fit) {
  const bool framework = !options.training.framework.empty();
  out << (framework ? "frameworks:\n  - framework: " + options.training.framework + "\n" : "stack:\n");
  for (const predict::StackScalar& s : predict::stack_scalars()) {
    const bool seconds = s.at == &predict::Stack::host_layer_s || s.at == &predict::Stack::hand_over_s;
    const double value = fit.stack.*s.at;
    out << (framework ? "    " : "  ") << s.name << ": "
        << (seconds ? base::format_quantity(value, base::Dimension::Time) : base::format_number(value))
        << "\n";
  }
  out << "# mean error " << base::percent(fit.fitted.mean) << " (median " << base::percent(fit.fitted.median)
      << ") on " << fit.fitted.rows << " fitted rows, " << base::percent(fit.held_out.mean) << " (median "
      << base::percent(fit.held_out.median) << ", bias " << base::percent(fit.held_out.bias) << ") on "
      << fit.held_out.rows << " held out\n";
  tell_skipped(out, "# ", fit.skipped);
}

void calibrate(Context& context, const Options& options) {
  base::ReadReport report;
  report.strict = context.strict;
  const System system = predict::read_system(options.system);
  std::vector<predict::Measurement> all, rows;
  for (const std::string& path : options.measurements) {
    const std::vector<predict::Measurement> some = predict::read_measurements(path, report);
    all.insert(all.end(), some.begin(), some.end());
  }
  for (const predict::Measurement& m : all) {
    const System* exact = m.question.device.empty() ? nullptr : predict::find_shipped(m.question.device);
    if (!exact || exact->family == system.family) rows.push_back(m);
  }
  for (const auto& [reason, count] : report.reasons) context.warn(std::to_string(count) + " rows: " + reason);
  std::ostream& out = context.streams.out;
  if (!rows.empty() && std::holds_alternative<predict::TrainingRun>(rows[0].question.what)) {
    print_training_fit(
        out, options,
        predict::calibrate_training(system, rows, training_options(options), context.progress()));
    return;
  }
  for (size_t i = 0; i < predict::kPrecisions; ++i) {
    const auto precision = static_cast<predict::Precision>(i);
    const bool present = std::any_of(rows.begin(), rows.end(), [&](const predict::Measurement& m) {
      const predict::Gemm* g = std::get_if<predict::Gemm>(&m.question.what);
      return g && g->precision == precision;
    });
    if (!present) continue;
    const predict::GemmFit fit =
        predict::calibrate_gemm(system, rows, {precision, options.launch_us * 1e-6}, context.progress());
    out << predict::to_yaml(fit.constants, precision);
    for (const auto& [framework, library] : fit.libraries) {
      out << "    # framework " << framework << ": library " << base::format_number(library, 4) << "\n";
    }
    out << "    # launch " << base::format_quantity(fit.launch_s, base::Dimension::Time) << "; mean error "
        << base::percent(fit.fitted.mean) << " on " << fit.fitted.rows << " fitted rows, "
        << base::percent(fit.held_out.mean) << " (median " << base::percent(fit.held_out.median) << ", bias "
        << base::percent(fit.held_out.bias) << ") on " << fit.held_out.rows << " held out; roofline "
        << base::percent(fit.roofline_held_out.mean) << " with "
        << base::format_number(fit.roofline.compute, 3) << ", " << base::format_number(fit.roofline.memory, 3)
        << ", " << base::format_quantity(fit.roofline.launch_s, base::Dimension::Time) << "\n";
    tell_skipped(out, "    # ", fit.skipped);
  }
}

}  // namespace

void add_predict(Command& app, Context& context) {
  Command* command =
      app.add_subcommand("predict", "Say how fast it should be: kernels, layers, training, serving");
  auto options = std::make_shared<Options>();
  command->add_option("--system", options->system,
                      "A shipped data sheet (h100, a100, v100, ...), a YAML file, or a design point");
  command->add_option("--table", options->table, "A CSV with one question a row; '-' is standard input")
      ->type_name("FILE");
  command
      ->add_option(
          "--measured", options->measured,
          "Compare a measured run: a table of questions with times, or a PyTorch profiler trace (.json)")
      ->type_name("FILE");
  command->add_option(
      "WORKLOAD", options->workload,
      "A workload in YAML, a Hugging Face config.json or an ONNX model; '-' is standard input");
  command->add_flag("--train", options->run.training,
                    "A config.json or an ONNX model is trained, not served");
  command
      ->add_option("--batch", options->run.batch,
                   "config.json: global batch, or requests served together; ONNX: samples a device")
      ->check(range(1, 1 << 23));
  command->add_option("--micro-batch", options->run.micro_batch, "config.json: sequences of a micro batch")
      ->check(range(1, 1 << 23));
  command->add_option("--sequence", options->run.sequence, "config.json: tokens of a sequence or prompt")
      ->check(range(1, 1 << 23));
  command->add_option("--output", options->run.output, "config.json: tokens to generate")
      ->check(range(1, 1 << 23));
  command
      ->add_option("--precision", options->precision,
                   "config.json, ONNX: fp32, tf32, fp16, bf16, int8, fp8, fp4")
      ->capture_default_str();
  command->add_option("--parallel", options->run.parallel, "config.json: tp=8,pp=2,dp=4,zero=1; ONNX: dp=N");
  command->add_option(
      "--placement", options->run.placement,
      "config.json: ranks of a training run as best, or an order such as tensor-data-pipeline");
  context.add_output_options(*command);
  example(*command, "lento predict examples/predict/gpt3_175b.yaml --system a100");
  Command* fit = command->add_subcommand(
      "calibrate", "Fit a chip's constants to measurements and report the hold-out error");
  fit->add_option("MEASUREMENTS", options->measurements, "CSV with questions and their measured times")
      ->required();
  fit->add_option("--devices", options->training.devices, "Fit training runs on at most so many devices")
      ->capture_default_str();
  fit->add_option("--framework", options->training.framework,
                  "Training runs of this framework, with its stack to start from");
  std::vector<std::string> names;
  for (const predict::StackScalar& s : predict::stack_scalars()) names.emplace_back(s.name);
  fit->add_option("--fit", options->scalars, "Scalars of the stack to fit to training runs; the others stay")
      ->delimiter(',')
      ->check(one_of(names))
      ->capture_default_str();
  fit->add_option("--launch-us", options->launch_us, "Keep this launch time instead of fitting it")
      ->check(range(0.0, 1e6));
  fit->add_option("--system", options->system, "The data sheet whose constants to fit")->required();
  example(*fit, "lento predict calibrate measured.csv --system h100");
  fit->callback([&context, options] { calibrate(context, *options); });
  add_predict_steps(*command, context);
  command->callback([&context, options, command] {
    if (command->chosen()) return;
    if (!options->measured.empty()) {
      compare_measured(context, *options);
    } else if (!options->table.empty()) {
      answer_table(context, *options);
    } else if (!options->workload.empty()) {
      answer_workload(context, *options);
    } else if (!options->system.empty() && is_design(options->system)) {
      finding::Diagnosis d = explain_design(options->system);
      d.inputs.push_back(Context::input("design", options->system, base::read_file(options->system)));
      context.show(std::move(d));
    } else {
      throw base::Error({}, "nothing was asked",
                        "name a workload file or give --table FILE; see 'lento predict --help'");
    }
  });
}

}  // namespace lento::cli
