// Converts a measured speed to a question for the predictor. Requests that run concurrently become a batch
// of that size, and the measured time of one request is compared with the time of the whole batch.
#include "desk/expected.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/units.h"
#include "predict/expect/verdict.h"
#include "predict/system.h"
#include "predict/time/collective.h"
#include "predict/time/workload.h"

namespace lento::desk {
namespace {

using Kind = MeasuredSpeed::Kind;

// Reduces a model's name to that of its shape: "meta-llama/Llama-3.1-70B-Instruct" becomes "llama-3.1-70b".
// Maker, fine-tuning and weight format do not change the shape.
std::string usual_name(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  });
  if (text.starts_with("meta-"))
    text.erase(0, 5);
  constexpr std::string_view kEndings[] =
      {"-instruct", "-chat", "-hf", "-it", "-base", "-fp8", "-awq", "-gptq", "-bf16"};
  for (bool is_cut = true; is_cut;) {
    is_cut = false;
    for (const std::string_view ending : kEndings) {
      if (text.ends_with(ending)) {
        text.resize(text.size() - ending.size());
        is_cut = true;
      }
    }
  }
  return text;
}

// Returns the serving framework that the tool's name contains.
std::string stack_of(std::string_view tool) {
  std::string text = usual_name(tool);
  for (const std::string_view stack : {"vllm", "sglang", "tensorrt"})
    if (text.find(stack) != text.npos)
      return std::string(stack == "tensorrt" ? "tensorrt-llm" : stack);
  return "";
}

int64_t whole(double value) {
  constexpr double kMost = 1e9;
  return std::max<int64_t>(1, std::llround(std::clamp(value, 0.0, kMost)));
}

// Converts the outcome of a comparison.
ComparedSpeed::Outcome outcome_of(predict::Speed speed) {
  switch (speed) {
    case predict::Speed::Slow:
      return ComparedSpeed::Outcome::Slow;
    case predict::Speed::Fast:
      return ComparedSpeed::Outcome::Fast;
    case predict::Speed::Impossible:
      return ComparedSpeed::Outcome::Impossible;
    default:
      return ComparedSpeed::Outcome::AsExpected;
  }
}

struct Comparison {
  ExpectedOptions options;
  predict::System system;
  predict::Precision precision;

  std::optional<ComparedSpeed> operator()(const MeasuredSpeed& speed, std::string& reason) const {
    try {
      return compared(speed, reason);
    } catch (const base::Error& error) {
      const std::string text = error.what();
      reason = text.substr(0, text.find('\n'));
      return std::nullopt;
    }
  }

  // Compares a measured speed with the predicted one. Returns nothing, with a reason, when model or system
  // is unknown.
  std::optional<ComparedSpeed> compared(const MeasuredSpeed& speed, std::string& reason) const {
    if (speed.kind == Kind::BusBandwidth)
      return compared_bus(speed, reason);
    const bool is_serving = speed.kind == Kind::RequestTime;
    const std::string model = options.model.empty() ? usual_name(speed.model) : options.model;
    if (model.empty()) {
      reason = "the model is not named (--model)";
      return std::nullopt;
    }
    predict::RunOptions run;
    run.training = !is_serving;
    run.precision = precision;
    run.parallel = options.parallel;
    run.framework = options.framework.empty() ? stack_of(speed.software) : options.framework;
    run.batch = whole(is_serving ? speed.together : options.batch > 0 ? double(options.batch) : speed.batch);
    run.sequence = whole(
        is_serving             ? speed.input_tokens
        : options.sequence > 0 ? double(options.sequence)
                               : speed.sequence);
    run.output = whole(speed.output_tokens);
    if (!is_serving && (run.batch <= 1 || run.sequence <= 1)) {
      reason = "the log does not state the batch and the length of a sequence (--batch, --sequence)";
      return std::nullopt;
    }
    const bool is_file = model.find(".json") != model.npos || model.find(".yaml") != model.npos;
    const predict::Question question =
        is_file ? predict::read_workload(model, run) : predict::named_workload(model, run);
    const auto expected = predict::expect_run(system, question);
    if (!expected) {
      reason = "such runs are not predicted";
      return std::nullopt;
    }
    if (!expected->doubts.empty()) {
      reason = predict::unlike_all_sheets(*expected);
      return std::nullopt;
    }
    return verdict(speed, *expected);
  }

  // Compares the bus bandwidth of a collective with that of the system's links.
  std::optional<ComparedSpeed> compared_bus(const MeasuredSpeed& speed, std::string& reason) const {
    using predict::CollectiveOp;
    constexpr std::array kOps{CollectiveOp::AllReduce, CollectiveOp::AllGather, CollectiveOp::ReduceScatter};
    const auto* const op = std::ranges::find(kOps, speed.collective, [](CollectiveOp one) {
      return predict::name(one);
    });
    if (op == kOps.end() || speed.devices < 2 || speed.devices > 1e6 || !(speed.bytes > 0)) {
      reason = "the output does not show which collective ran over how many GPUs";
      return std::nullopt;
    }
    const predict::CollectiveTime expected =
        predict::predict_collective(system, {*op, int(speed.devices), speed.bytes});
    if (!(expected.bus_Bps > 0)) {
      reason = "the system has no link for such a collective";
      return std::nullopt;
    }
    // The mean relative error of the predicted times of NCCL's collectives that were not fitted
    // (docs/notes/2026-11-27-training_model.md). Nine of ten normally distributed errors are within 1.645
    // standard deviations, and a standard deviation is sqrt(pi/2) times the mean of their absolute values.
    constexpr double kMeanError = 0.13;
    const double error = 1.645 * std::sqrt(std::numbers::pi / 2) * kMeanError;
    ComparedSpeed out;
    out.factor = expected.bus_Bps / speed.value;
    const auto rate = [](double bytes_per_s) {
      return base::format_number(bytes_per_s / 1e9) + " GB/s";
    };
    out.text = "bus bandwidth " + rate(speed.value) + " of an " + speed.collective + " over " +
               base::format_number(speed.devices) + " GPUs, " + rate(expected.bus_Bps) + " expected of " +
               system.name + " (nine of ten such runs reach " + rate(expected.bus_Bps / (1 + error)) +
               " or more)";
    // Switches that reduce (NVLink SHARP) halve what the links carry, which the rings of the prediction do
    // not.
    if (out.factor * (1 + error) < 1)
      out.outcome = ComparedSpeed::Outcome::Fast;
    else if (out.factor > 1 + error)
      out.outcome = ComparedSpeed::Outcome::Slow;
    out.facts.emplace_back("expected", rate(expected.bus_Bps) + " by " + expected.algorithm);
    return out;
  }

  static void
  add_serving(const MeasuredSpeed& speed, const predict::Expectation& expected, ComparedSpeed& out) {
    const auto time = [](double seconds) {
      return base::format_quantity(seconds, base::Dimension::Time);
    };
    out.facts.emplace_back(
        "first token",
        time(speed.first_token_s) + " measured, " + time(expected.first_token_s) +
            " expected of the first request and " + time(expected.last_first_token_s) +
            " of the last, when all come at once");
    out.facts.emplace_back(
        "time per token",
        time(speed.per_token_s) + " measured, " + time(expected.per_token_s) + " expected between prompts");
    if (speed.tokens_per_s > 0)
      out.facts.emplace_back(
          "tokens per second and GPU",
          base::format_number(speed.tokens_per_s / expected.devices, 4) + " measured, " +
              base::format_number(expected.per_device(expected.seconds), 4) + " expected (" +
              base::format_number(expected.per_device(expected.slow_s), 3) + " to " +
              base::format_number(expected.per_device(expected.fast_s), 3) + ")");
  }

  // Compares the measured speed with the range that is predicted: slow, fast or as expected.
  ComparedSpeed verdict(const MeasuredSpeed& speed, const predict::Expectation& expected) const {
    using Figure = predict::MeasuredFigure;
    Figure figure;
    figure.kind = speed.kind == Kind::TokensPerGpu  ? Figure::Kind::Tokens
                  : speed.kind == Kind::FlopsPerGpu ? Figure::Kind::Flops
                                                    : Figure::Kind::Time;
    figure.value = speed.value;
    const predict::SpeedVerdict judged = predict::judge_speed(system, expected, figure);
    ComparedSpeed out;
    out.outcome = outcome_of(judged.speed);
    out.factor = judged.factor;
    out.text = judged.text;
    out.facts.emplace_back("expected", predict::headline(system, expected));
    if (speed.kind == Kind::RequestTime)
      add_serving(speed, expected, out);
    return out;
  }
};

}  // namespace

decltype(JudgeOptions::compare) comparison(const ExpectedOptions& options) {
  if (options.system.empty())
    return {};
  const auto precision = predict::parse_precision(options.precision);
  if (!precision)
    throw base::Error(
        {"--precision"},
        "precision '" + options.precision + "' is not known",
        "one of: fp32, tf32, fp16, bf16, int8, fp8, fp4");
  return Comparison{options, predict::system_of(options.system), *precision};
}

}  // namespace lento::desk
