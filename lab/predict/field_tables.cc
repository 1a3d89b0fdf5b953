// Turns rows of the published tables of benchmarks and recipes into rows of the list's form, each table one
// source of its own.
#include "lab/predict/field_tables.h"

#include <filesystem>
#include <map>

#include "base/number.h"
#include "base/scan/csv.h"
#include "lab/predict/training_runs.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

// Returns the name of a table's stack in the table of software.
std::string stack_of(const std::string& framework) {
  constexpr std::pair<const char*, const char*> kStacks[] = {
      {"torchtitan", "torchtitan"},
      {"megatron bridge", "megatron bridge"},
      {"megatron", "megatron-lm"},
      {"llm-foundry", "llm-foundry"},
      {"maxtext", "maxtext"},
      {"nanotron", "nanotron"},
      {"SGLang", "sglang"},
      {"TRTLLM", "tensorrt-llm"},
      {"VLLM", "vllm v1"}};
  for (const auto& [prefix, stack] : kStacks) {
    if (framework.starts_with(prefix))
      return stack;
  }
  return framework;
}

using Groups = std::map<std::string, std::vector<FieldCase>>;

void add_training(const std::string& folder, Groups& groups) {
  for (const PublishedRun& run : published_runs(folder)) {
    FieldCase c;
    c.row.work = Work::Train;
    c.row.chip = run.chip;
    c.row.source = "table:" + run.table;
    c.row.model = run.name;
    c.row.devices = run.run().devices();
    c.row.precision = std::string(name(run.run().products.value_or(run.run().precision)));
    c.row.measured_s = run.measured.seconds;
    c.stack = c.row.stack = stack_on(stack_of(run.framework()), run.chip);
    try {
      const System& system = *find_shipped(run.chip);
      c.trained =
          std::make_shared<TrainedWork>(system, with_placement(system, with_micro_batch(system, run.run())));
    } catch (const base::Error&) {
      continue;
    }
    groups[c.row.source + c.stack].push_back(c);
  }
}

double number_in(const base::CsvReader& row, const char* column) {
  const int at = row.find(column);
  return at < 0 ? 0 : base::try_double(row.text(at)).value_or(0);
}

// Returns the output tokens per second of the whole deployment.
double output_rate(const base::CsvReader& row, int devices) {
  if (const double all = number_in(row, "output_tokens_per_s"); all > 0)
    return all;
  if (const double each = number_in(row, "output_tokens_per_s_per_gpu"); each > 0)
    return each * devices;
  return number_in(row, "Throughput (Tokens/s)");
}

std::optional<ServedLoad> load_of(const Question& q) {
  ServedLoad load;
  load.stack = stack_of(q.framework);
  if (const auto* run = std::get_if<InferenceRun>(&q.what)) {
    load.run = *run;
    return load;
  }
  const auto* run = std::get_if<ServingRun>(&q.what);
  if (!run || run->two_pools || run->proposed > 0 || run->traffic.per_s > 0)
    return std::nullopt;
  load.run.model = run->model;
  load.run.precision = run->precision;
  load.run.prompt = run->traffic.prompt;
  load.run.output = run->traffic.output;
  load.run.batch = run->traffic.together;
  load.run.tensor = run->decode.tensor;
  load.run.pipeline = run->decode.pipeline;
  load.run.data = run->decode.copies;
  return load;
}

void add_serving(const std::string& path, const std::string& table, const char* system, Groups& groups) {
  if (!std::filesystem::exists(path))
    return;
  base::ReadReport report;
  base::CsvReader row(path, report);
  const Dialect dialect = dialect_of(row);
  while (row.next()) {
    try {
      const Question q = parse_question(dialect, row);
      const System* chip = find_shipped(q.device.empty() ? system : q.device);
      auto load = load_of(q);
      if (!chip || !load)
        continue;
      if (load->stack.empty())
        load->stack = "tensorrt-llm";  // NIM and the makers' own tables
      FieldCase c;
      c.row.work = Work::Serve;
      c.row.chip = chip->name;
      c.row.source = "table:" + table;
      c.row.model = table;
      c.row.devices = load->run.devices();
      c.row.precision = std::string(name(load->run.precision));
      load->stack = stack_on(load->stack, chip->name);
      c.stack = c.row.stack = load->stack;
      load->server = table == "NIM";
      const double rate = output_rate(row, c.row.devices);
      c.served = std::make_shared<ServedWork>(*chip, *load);
      if (!(rate > 0) || !c.served->fits())
        continue;
      c.row.measured_s = c.served->tokens() / rate;
      groups[c.row.source + c.stack].push_back(c);
    } catch (const base::Error&) {
      report.skip(row.where(-1), "row that asks nothing that can be timed");
    }
  }
}

}  // namespace

std::vector<FieldCase> table_cases(const std::string& folder, size_t most) {
  Groups groups;
  add_training(folder, groups);
  add_serving(folder + "/serve_trtllm_throughput.csv", "TensorRT-LLM", "", groups);
  add_serving(folder + "/infer_llama33_70b_nim_4xH100_fp16_Llama3_3-70B.csv", "NIM", "h100", groups);
  add_serving(folder + "/infer_llama33_70b_nim_8xA100_bf16_Llama3_3-70B.csv", "NIM", "a100", groups);
  std::vector<FieldCase> out;
  for (const auto& [key, cases] : groups) {
    const size_t taken = std::min(most, cases.size());
    for (size_t i = 0; i < taken; ++i)
      out.push_back(cases[i * cases.size() / taken]);
  }
  return out;
}

}  // namespace lento::predict
