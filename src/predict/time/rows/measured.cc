// Reads the measured times of the published tables, for validation and calibration only.
#include <initializer_list>
#include <utility>

#include "base/number.h"
#include "predict/time/question.h"
#include "predict/time/rows/row_fields.h"

namespace lento::predict {
namespace {

// Columns that hold a time, with their unit in seconds. The first one with a value is used.
constexpr std::pair<const char*, double> kTimes[] = {
    {"fwd_ms", 1e-3},
    {"oop_time_ns", 1e-9},
    {"iteration time (ms)", 1e-3},
    {"iter_time_s_derived", 1},
    {"iter_time_s", 1},
    {"iteration_ms", 1e-3},
    {"e2e_ms", 1e-3},
    {"measured_ms", 1e-3},
    {"e2e_s_median", 1},
    {"e2e_s", 1},
    {"latency_ms", 1e-3},
    {"latency_us", 1e-6},
    {"time_ms", 1e-3},
    {"time_us", 1e-6},
    {"time_s", 1},
    {"duration_us", 1e-6},
    {"kernel_us_median", 1e-6}};

// Returns a positive value of a column in seconds, or nothing. `unit_s` is the unit of the column in
// seconds.
std::optional<double> scaled(const base::CsvReader& row, const char* column, double unit_s) {
  const int at = row.find(column);
  if (at < 0)
    return std::nullopt;
  const std::optional<double> value = base::try_double(row.text(at));
  if (!value || *value <= 0)
    return std::nullopt;
  return *value * unit_s;
}

// Returns the seconds of an iteration from a rate: tokens of the iteration / (devices * tokens per second
// and device).
std::optional<double> from_rate(const base::CsvReader& row) {
  const std::optional<double> rate = scaled(row, "tok/s/gpu", 1);
  if (!rate)
    return std::nullopt;
  const Question q = parse_question(Dialect::TrainNanotron, row);
  const TrainingRun& run = std::get<TrainingRun>(q.what);
  return double(run.global_batch) * double(run.sequence) / (*rate * run.devices());
}

// Returns the seconds of an iteration from a published rate of operations per device, with the authors' own
// count of operations (Narayanan et al. 2021, equation 3).
std::optional<double> from_flops(const base::CsvReader& row, double passes) {
  const std::optional<double> rate = scaled(row, "tflops_per_gpu", 1e12);
  if (!rate)
    return std::nullopt;
  const TrainingRun run = std::get<TrainingRun>(parse_question(Dialect::TrainMegatron, row).what);
  const double h = double(run.model.hidden);
  const double s = double(run.sequence);
  const double l = double(run.model.layers);
  const double v = double(run.model.vocab);
  const double flops = passes * 24 * double(run.global_batch) * s * l * h * h * (1 + s / (6 * h)) +
                       6.0 * double(run.global_batch) * s * h * v;
  return flops / (*rate * run.devices());
}

// Returns the seconds of an iteration from tokens per second and device, or from the share of the peak when
// the table gives only that.
std::optional<double> from_tokens(const base::CsvReader& row, Dialect dialect, const char* column) {
  const TrainingRun run = std::get<TrainingRun>(parse_question(dialect, row).what);
  const double tokens = double(run.global_batch) * double(run.sequence);
  if (const auto rate = scaled(row, column, 1))
    return tokens / (*rate * run.devices());
  const auto flops = scaled(row, "model_tflops_per_gpu", 1e12);
  if (!flops)
    return std::nullopt;
  // Megatron counts six operations per parameter and token, and the causal half of attention.
  const Transformer& m = run.model;
  const double attention = 6.0 * double(m.layers) * double(run.sequence) * double(m.heads) * double(m.head());
  const double per_token = 6 * m.active_parameters() + attention;
  return tokens * per_token / (*flops * run.devices());
}

// Returns the seconds of a MaxText row. MaxText counts attention without halving it for causality.
std::optional<double> from_maxtext(const base::CsvReader& row) {
  if (const auto by_tokens = from_tokens(row, Dialect::TrainMaxtext, "tokens_per_s_per_chip"))
    return by_tokens;
  const auto flops = scaled(row, "tflops_per_chip", 1e12);
  if (!flops)
    return std::nullopt;
  const TrainingRun run = std::get<TrainingRun>(parse_question(Dialect::TrainMaxtext, row).what);
  const Transformer& m = run.model;
  const double attention =
      12.0 * double(m.layers) * double(run.sequence) * double(m.heads) * double(m.head());
  const double per_token = 6 * m.active_parameters() + attention;
  return double(run.global_batch) * double(run.sequence) * per_token / (*flops * run.devices());
}

// Returns the seconds of all requests together, from the rate of their output tokens.
std::optional<double> from_throughput(const base::CsvReader& row, Dialect dialect) {
  const auto rate = scaled(row, "output_tokens_per_s", 1);
  if (!rate)
    return std::nullopt;
  const ServingRun run = std::get<ServingRun>(parse_question(dialect, row).what);
  return double(run.traffic.together) * double(run.traffic.output) / *rate;
}

}  // namespace

std::optional<double> measured_s(Dialect dialect, const base::CsvReader& row) {
  if (row.find("measured_s") >= 0)
    return scaled(row, "measured_s", 1);
  if (!text_or(row, {"suspect"}).empty())
    return std::nullopt;  // the table marks this row as impossible: faster than the memory allows
  switch (dialect) {
    case Dialect::TrainNanotron:
      return from_rate(row);
    case Dialect::TrainRecipe:
    case Dialect::TrainMpt:
      return from_tokens(row, dialect, "tokens_per_s_per_gpu");
    case Dialect::TrainMaxtext:
      return from_maxtext(row);
    case Dialect::ServeTrtllm:
      return from_throughput(row, dialect);
    case Dialect::Inference: {
      const auto first = scaled(row, "TTFT (ms)", 1e-3);
      const auto step = scaled(row, "ITL (ms)", 1e-3);
      if (!first || !step)
        return std::nullopt;
      const InferenceRun run = std::get<InferenceRun>(parse_question(dialect, row).what);
      return *first + double((run.output - 1)) * *step;
    }
    default:
      break;
  }
  for (const auto& [column, unit_s] : kTimes) {
    if (const auto time = scaled(row, column, unit_s))
      return time;
  }
  return dialect == Dialect::TrainMegatron ? from_flops(row, 3) : std::nullopt;
}

}  // namespace lento::predict
