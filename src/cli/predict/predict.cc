// lento predict: answers questions on training, serving and kernels with predicted times.
#include <ostream>

#include "base/scan/csv.h"
#include "base/units.h"
#include "cli/commands/commands.h"
#include "cli/predict/predict_steps.h"
#include "predict/answer.h"
#include "predict/calibrate.h"
#include "predict/measured.h"
#include "predict/table.h"

namespace lento::cli {
namespace {

using base::format_number;
using base::percent;

struct PredictArguments {
  std::string workload;
  std::string model;
  std::string system;
  std::string table;
  std::string format = "same";
  std::string measured;
  std::string precision = "bf16";
  std::string recompute = "none";
  predict::RunOptions run;
  predict::CalibrateOptions fit;
  int gpus = 0;  // 0: as `run.parallel` says
  double launch_us = 0;
  double price = 0;
  std::string tokens;
  std::string token_time;
};

void warn_skipped(Context& context, const base::ReadReport& report) {
  for (const auto& [reason, count] : report.reasons)
    context.warn(std::to_string(count) + " rows: " + reason);
}

// Answers a table of questions as CSV or JSON lines.
void answer_table(Context& context, const PredictArguments& options) {
  std::ostream& out = context.streams.out;
  const std::string& format = options.format;
  std::vector<std::string> columns;
  const auto print = [&](const std::vector<std::string>& fields, bool objects) {
    if (format == "csv" || (format == "same" && !objects))
      out << base::csv_line(fields) << "\n";
    else if (columns.empty())
      columns = fields;
    else
      out << base::json_line(columns, fields) << "\n";
  };
  warn_skipped(context, predict::answer_table({options.table, options.system, context.strict}, print));
}

// Returns the run that the options describe.
predict::RunOptions run_of(const PredictArguments& options) {
  predict::RunOptions run = options.run;
  const auto precision = predict::parse_precision(options.precision);
  if (!precision)
    throw base::Error(
        {"--precision"},
        "precision '" + options.precision + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  run.precision = *precision;
  run.recompute = predict::recompute_of(options.recompute);
  if (options.gpus > 0)
    run.parallel = "all=" + std::to_string(options.gpus);
  return run;
}

void tell_skipped(std::ostream& out, const char* indent, size_t skipped) {
  if (skipped > 0)
    out << indent << skipped << " rows skipped: this system cannot do what they ask\n";
}

void print_training_fit(std::ostream& out, const std::string& name, const predict::TrainingFit& fit) {
  const bool framework = !name.empty();
  out << (framework ? "frameworks:\n  - framework: " + name + "\n" : "stack:\n");
  for (const predict::StackScalar& s : predict::stack_scalars()) {
    const bool seconds = s.at == &predict::Stack::host_layer_s || s.at == &predict::Stack::hand_over_s;
    const double value = fit.stack.*s.at;
    out << (framework ? "    " : "  ") << s.name << ": "
        << (seconds ? base::format_quantity(value, base::Dimension::Time) : format_number(value)) << "\n";
  }
  out << "# mean error " << percent(fit.fitted.mean) << " (median " << percent(fit.fitted.median) << ") on "
      << fit.fitted.rows << " fitted rows, " << percent(fit.held_out.mean) << " (median "
      << percent(fit.held_out.median) << ", bias " << percent(fit.held_out.bias) << ") on "
      << fit.held_out.rows << " held out\n";
  tell_skipped(out, "# ", fit.skipped);
}

void print_product_fit(std::ostream& out, predict::Precision precision, const predict::GemmFit& fit) {
  out << predict::to_yaml(fit.constants, precision);
  for (const auto& [framework, library] : fit.libraries) {
    out << "    # framework " << framework << ": library " << format_number(library, 4) << "\n";
  }
  out << "    # launch " << base::format_quantity(fit.launch_s, base::Dimension::Time) << "; mean error "
      << percent(fit.fitted.mean) << " on " << fit.fitted.rows << " fitted rows, "
      << percent(fit.held_out.mean) << " (median " << percent(fit.held_out.median) << ", bias "
      << percent(fit.held_out.bias) << ") on " << fit.held_out.rows << " held out; roofline "
      << percent(fit.roofline_held_out.mean) << " with " << format_number(fit.roofline.compute, 3) << ", "
      << format_number(fit.roofline.memory, 3) << ", "
      << base::format_quantity(fit.roofline.launch_s, base::Dimension::Time) << "\n";
  tell_skipped(out, "    # ", fit.skipped);
}

// Runs `lento predict calibrate`.
void calibrate(Context& context, const PredictArguments& options) {
  predict::CalibrateOptions fit = options.fit;
  fit.system = options.system;
  fit.launch_s = options.launch_us * 1e-6;
  fit.strict = context.strict;
  const predict::CalibrateResult result = predict::calibrate(fit, context.progress());
  warn_skipped(context, result.report);
  std::ostream& out = context.streams.out;
  for (const predict::TrainingFit& one : result.training)
    print_training_fit(out, fit.training.framework, one);
  for (const auto& [precision, one] : result.products)
    print_product_fit(out, precision, one);
}

// Throws UsageError for options that describe a run, such as --batch, when the run is described elsewhere:
// in a workload in YAML, or in each row of a table.
void refuse_idle_options(const Command& command, const PredictArguments& options) {
  const bool is_yaml = options.workload.ends_with(".yaml") || options.workload.ends_with(".yml");
  const bool is_table = !options.table.empty();
  const bool has_run = !options.run.run.empty();
  if (!is_yaml && !is_table && !has_run)
    return;
  for (const char* option :
       {"--train",
        "--batch",
        "--micro-batch",
        "--sequence",
        "--generate",
        "--precision",
        "--parallel",
        "--gpus",
        "--framework",
        "--recompute",
        "--run",
        "--placement",
        "--token-time"}) {
    const bool is_run = std::string_view(option) == "--run";
    if (command.count(option) > 0 && !(has_run && is_run && !is_yaml && !is_table))
      throw UsageError(
          std::string(option) +
          " belongs to a config.json, --model or an ONNX model and would do nothing here: " +
          (is_table  ? "each row of --table states it"
           : is_yaml ? options.workload + " states it itself"
                     : options.run.run + " states it"));
  }
}

}  // namespace

void add_predict(Command& app, Context& context) {
  Command* command =
      app.add_subcommand("predict", "Say how fast it should be: kernels, layers, training, serving");
  auto options = std::make_shared<PredictArguments>();
  command->add_option(
      "--system",
      options->system,
      "A shipped data sheet (h100, a100, v100, ...), a YAML file, or a design point");
  command
      ->add_option(
          "--table",
          options->table,
          "A CSV with one question a row, or JSON Lines; '-' is standard input")
      ->type_name("FILE");
  command
      ->add_option(
          "--format",
          options->format,
          "Answers of --table as csv or jsonl; same: as the questions came")
      ->check(one_of({"same", "csv", "jsonl"}))
      ->capture_default_str();
  command
      ->add_option(
          "--measured",
          options->measured,
          "Is it as fast as it should be: a figure ('6200 tokens/s' per GPU, '59520 tokens/s total', '20 "
          "requests/s', '25 ms/token', '13.2 s', '410 TFLOP/s' per GPU, '41 % MFU'), a table of questions "
          "with times, or a PyTorch profiler trace (.json)")
      ->type_name("FIGURE|FILE");
  command->add_option(
      "--model",
      options->model,
      "In place of WORKLOAD: a model by its usual name (llama-3.1-70b, qwen3-32b, mixtral-8x7b, ...)");
  command->add_option(
      "WORKLOAD",
      options->workload,
      "A workload in YAML, a Hugging Face config.json or an ONNX model; '-' is standard input");
  Option* train = command->add_flag(
      "--train",
      options->run.training,
      "A config.json or an ONNX model is trained, not served");
  Option* batch = command
                      ->add_option(
                          "--batch",
                          options->run.batch,
                          "config.json: global batch, or requests served together; ONNX: samples a device")
                      ->check(range(1, 1 << 23));
  command->add_option("--micro-batch", options->run.micro_batch, "config.json: sequences of a micro batch")
      ->check(range(1, 1 << 23));
  command->add_option("--sequence", options->run.sequence, "config.json: tokens of a sequence or prompt")
      ->check(range(1, 1 << 23));
  command->add_option("--generate", options->run.output, "config.json: tokens to generate")
      ->check(range(1, 1 << 23))
      ->excludes(train);
  command
      ->add_option(
          "--precision",
          options->precision,
          "config.json, ONNX: fp32, tf32, fp16, bf16, int8, fp8, fp4")
      ->capture_default_str();
  Option* parallel = command->add_option(
      "--parallel",
      options->run.parallel,
      "config.json: tp=8,pp=2,dp=4,zero=1 (also cp, ep, interleave, shard, sp=0), or all=64: the ten best "
      "layouts of so many devices that fit; ONNX: dp=N");
  command
      ->add_option(
          "--gpus",
          options->gpus,
          "config.json: the ten best layouts of so many devices, as --parallel all=N")
      ->check(range(1, 1 << 23))
      ->excludes(parallel);
  command->add_option(
      "--framework",
      options->run.framework,
      "config.json: the software that runs it (vllm, sglang, tensorrt-llm, fsdp, deepspeed, megatron, ...), "
      "or a "
      "stack of the data sheet; default: any");
  command
      ->add_option(
          "--recompute",
          options->recompute,
          "config.json: activations that a backward pass recomputes")
      ->check(one_of({"none", "selective", "operators", "full"}))
      ->capture_default_str();
  command
      ->add_option(
          "--run",
          options->run.run,
          "config.json: how it is run, a workload in YAML without its model, in place of the options above")
      ->type_name("FILE");
  command->add_option(
      "--placement",
      options->run.placement,
      "config.json: ranks of a training run as best, or an order such as tensor-data-pipeline");
  command
      ->add_option(
          "--price",
          options->price,
          "Dollars of a device an hour: tells what the run and a million tokens cost")
      ->check(range(0.0, 1e6));
  command
      ->add_option(
          "--tokens",
          options->tokens,
          "Tokens of the whole training, or of all answers (15T, 300B): the days that they take, and with "
          "--price what they cost")
      ->type_name("NUMBER");
  command
      ->add_option(
          "--token-time",
          options->token_time,
          "In place of --batch: the most requests that run at once with a token of each within this (100ms)")
      ->type_name("TIME")
      ->excludes(batch)
      ->excludes(train);
  context.add_output_options(*command);
  example(
      *command,
      "lento predict --model llama-3.1-8b --system h100 --framework vllm --batch 16 --sequence 512");
  Command* fit = command->add_subcommand(
      "calibrate",
      "Fit a chip's constants to measurements and report the hold-out error");
  fit->add_option("MEASUREMENTS", options->fit.measurements, "CSV with questions and their measured times")
      ->required();
  fit->add_option("--devices", options->fit.training.devices, "Fit training runs on at most so many devices")
      ->capture_default_str();
  fit->add_option(
      "--framework",
      options->fit.training.framework,
      "Training runs of this framework, with its stack to start from");
  std::vector<std::string> names;
  for (const predict::StackScalar& s : predict::stack_scalars())
    names.emplace_back(s.name);
  fit->add_option(
         "--fit",
         options->fit.scalars,
         "Scalars of the stack to fit to training runs; the others stay")
      ->delimiter(',')
      ->check(one_of(names))
      ->capture_default_str();
  fit->add_option("--launch-us", options->launch_us, "Keep this launch time instead of fitting it")
      ->check(range(0.0, 1e6));
  fit->add_flag(
      "--all-rows",
      options->fit.all_rows,
      "Products: after half of the rows judged the fit, fit all of them");
  fit->add_option("--system", options->system, "The data sheet whose constants to fit")->required();
  example(*fit, "lento predict calibrate measured.csv --system h100");
  fit->callback([&context, options] {
    calibrate(context, *options);
  });
  add_predict_steps(*command, context);
  command->callback([&context, options, command] {
    if (command->chosen())
      return;
    const predict::RunOptions run = run_of(*options);
    refuse_idle_options(*command, *options);
    const auto figure = predict::parse_measured_figure(options->measured);
    if (!options->measured.empty() && !figure) {
      context.show(predict::compare_measured(
          {options->measured, options->system, options->workload, run, context.strict}));
    } else if (!options->table.empty()) {
      answer_table(context, *options);
    } else {
      context.show(predict::predict(
          {options->workload,
           options->model,
           options->system,
           run,
           figure,
           options->price,
           options->tokens.empty() ? 0 : predict::parse_tokens(options->tokens),
           options->token_time.empty()
               ? 0
               : base::parse_quantity(options->token_time, base::Dimension::Time, {"--token-time"})}));
    }
  });
}

}  // namespace lento::cli
