// Serving benchmarks print a summary and write the same as JSON. Medians are taken where there are some: the
// tail of waiting times dominates their mean.
//
//   summary = "============ Serving Benchmark Result ============" {NAME ":" X}
//   JSON    = {"request_throughput": X, "median_ttft_ms": X, ...}              (vLLM, SGLang)
//           | {"request_throughput": {"unit": U, "avg": X, "p50": X}, ...}     (genai-perf, AIPerf)
//
// Source: vLLM 0.4 to 0.11, SGLang 0.3 to 0.5, genai-perf 0.0.8 to 0.0.16 and AIPerf 0.1 to 0.3 (JSON
// exporters).
#include "desk/bench/serving.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/number.h"
#include "desk/bench/bench.h"

namespace lento::desk {
namespace {

using base::Json;

struct SummaryLine {
  LineForm form;
  std::optional<double> ServingResult::*member;
  double scale;
  bool is_better;  // its value replaces one that is already there
};

const std::vector<SummaryLine> kSummaryLines{
    {{"Serving Benchmark Result", {"============ Serving Benchmark Result ============"}}, nullptr, 1, false},
    {{"Traffic request rate:~{value:num}", {"Traffic request rate: 10.0"}},
     &ServingResult::asked_rate,
     1,
     true},
    {{"Successful requests:~{value:num}", {"Successful requests:                     1000      "}},
     &ServingResult::requests,
     1,
     true},
    {{"Benchmark duration (s):~{value:num}", {"Benchmark duration (s):                  112.40    "}},
     &ServingResult::duration_s,
     1,
     true},
    {{"Total input tokens:~{value:num}", {"Total input tokens:                      1024000   "}},
     &ServingResult::input_tokens,
     1,
     true},
    {{"Total generated tokens:~{value:num}", {"Total generated tokens:                  128000    "}},
     &ServingResult::output_tokens,
     1,
     true},
    {{"Request throughput (req/s):~{value:num}", {"Request throughput (req/s):              8.90      "}},
     &ServingResult::request_rate,
     1,
     true},
    {{"Output token throughput (tok/s):~{value:num}",
      {"Output token throughput (tok/s):         1138.80   "}},
     &ServingResult::token_rate,
     1,
     true},
    {{"Mean TTFT (ms):~{value:num}", {"Mean TTFT (ms):                          512.40    "}},
     &ServingResult::first_token_s,
     1e-3,
     false},
    {{"Median TTFT (ms):~{value:num}", {"Median TTFT (ms):                        410.20    "}},
     &ServingResult::first_token_s,
     1e-3,
     true},
    {{"Mean TPOT (ms):~{value:num}", {"Mean TPOT (ms):                          38.10     "}},
     &ServingResult::token_time_s,
     1e-3,
     false},
    {{"Median TPOT (ms):~{value:num}", {"Median TPOT (ms):                        36.90     "}},
     &ServingResult::token_time_s,
     1e-3,
     true},
};

std::vector<LineForm> summary_forms() {
  std::vector<LineForm> forms;
  for (const SummaryLine& line : kSummaryLines)
    forms.push_back(line.form);
  return forms;
}
const std::vector<LineForm> kSummaryForms = summary_forms();

class ServingText : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    const SummaryLine& line = kSummaryLines[form];
    if (!line.member) {
      write_if_any(sink);
      is_open_ = true;
      return;
    }
    std::optional<double>& member = result_.*line.member;
    const auto value = match.number("value");
    if (value && (line.is_better || !member))
      member = *value * line.scale;
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    write_if_any(sink);
  }

  // Writes the result at the end of a summary. The requested rate is printed before the summary, so it is
  // kept until then.
  void write_if_any(Sink& sink) {
    if (!is_open_)
      return;
    if (!result_.is_empty())
      write_serving(result_, sink);
    result_ = {};
    is_open_ = false;
  }

  ServingResult result_;
  bool is_open_ = false;
};

// Returns a number, also one that is written as a string.
std::optional<double> number_of(const Json* value) {
  if (!value)
    return std::nullopt;
  if (value->is_number())
    return value->number({});
  if (value->is_string())
    return base::try_double(value->string({}));
  return std::nullopt;
}

std::string text(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->is_string() ? value->string({}) : std::string();
}

// Returns the value of the first key that holds a number.
std::optional<double> first_of(const Json& json, std::initializer_list<const char*> keys, double scale = 1) {
  for (const char* key : keys)
    if (const auto value = number_of(json.find(key)))
      return *value * scale;
  return std::nullopt;
}

// Reads a statistic such as {"unit": "ms", "avg": 42.0, "p50": 41.0}: its median or else its mean, in
// seconds when the unit is a time.
std::optional<double> statistic(const Json& json, std::string_view key) {
  const Json* object = json.find(key);
  if (!object || !object->is_object())
    return std::nullopt;
  const auto value = first_of(*object, {"p50", "avg"});
  if (!value)
    return std::nullopt;
  const std::string unit = text(*object, "unit");
  const double scale = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
  return *value * scale;
}

// Reads the result form that has mean and percentiles of each metric.
ServingResult of_statistics(const Json& json) {
  ServingResult result;
  result.tool = "genai-perf or AIPerf";
  result.request_rate = statistic(json, "request_throughput");
  result.token_rate = statistic(json, "output_token_throughput");
  result.first_token_s = statistic(json, "time_to_first_token");
  result.token_time_s = statistic(json, "inter_token_latency");
  result.requests = statistic(json, "request_count");
  const auto input = statistic(json, "input_sequence_length");
  const auto output = statistic(json, "output_sequence_length");
  if (result.requests && input)
    result.input_tokens = *input * *result.requests;
  if (result.requests && output)
    result.output_tokens = *output * *result.requests;
  return result;
}

// Reads the result form of vLLM's and SGLang's serving benchmarks.
ServingResult of_numbers(const Json& json) {
  ServingResult result;
  result.tool = text(json, "backend");
  result.model = text(json, "model_id");
  result.requests = first_of(json, {"completed", "num_prompts"});
  result.duration_s = first_of(json, {"duration"});
  result.input_tokens = first_of(json, {"total_input_tokens"});
  result.output_tokens = first_of(json, {"total_output_tokens"});
  result.asked_rate = first_of(json, {"request_rate"});
  result.request_rate = first_of(json, {"request_throughput"});
  result.token_rate = first_of(json, {"output_throughput"});
  result.first_token_s = first_of(json, {"median_ttft_ms", "mean_ttft_ms"}, 1e-3);
  result.token_time_s = first_of(json, {"median_tpot_ms", "mean_tpot_ms", "mean_itl_ms"}, 1e-3);
  return result;
}

class ServingJson : public Reader {
  // Reads a file with one JSON value, or with one value on each line when the tool appends its runs.
  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const size_t end = text.find('\n');
    const bool is_lines = end != text.npos && text.substr(0, end).find('}') != text.npos &&
                          text.find_first_not_of(" \t\r\n", end) != text.npos;
    if (!is_lines) {
      value(base::parse_json(text, path), sink);
      return;
    }
    int line = 1;
    while (!text.empty()) {
      const size_t stop = text.find('\n');
      const std::string_view one = text.substr(0, stop);
      if (one.find('{') != one.npos) {
        sink.at({}, line, {}, {});
        value(base::parse_json(one, path, line), sink);
      }
      if (stop == text.npos)
        break;
      text.remove_prefix(stop + 1);
      ++line;
    }
  }

  static void value(const Json& json, Sink& sink) {
    const Json* rate = json.find("request_throughput");
    const ServingResult result = rate && rate->is_object() ? of_statistics(json) : of_numbers(json);
    if (!result.is_empty())
      write_serving(result, sink);
  }
};

// Returns how certain it is that the text is a serving result, from 0 to 1.
double score_of_json(std::string_view head, std::string& reason) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos || head[begin] != '{' || head.find("\"request_throughput\"") == head.npos)
    return 0;
  for (const std::string_view key :
       {"ttft_ms\"", "\"time_to_first_token\"", "\"output_token_throughput\"", "\"output_throughput\""}) {
    if (head.find(key) != head.npos) {
      reason = "a JSON value with request_throughput and times of tokens";
      return 0.95;
    }
  }
  return 0;
}

// Adds a measured value when there is one.
void add_measured(
    Run& run,
    const char* name,
    const char* unit,
    Better better,
    const std::optional<double>& value) {
  if (value && *value >= 0)
    run.measured.emplace_back(Quantity{name, unit, Kind::Level, better}, *value);
}

}  // namespace

void write_serving(const ServingResult& result, Sink& sink) {
  Run run;
  run.kind = "serving benchmark";
  run.facts = {{"tool", result.tool}, {"model", result.model}};
  add_measured(run, "requests", "", Better::Neither, result.requests);
  add_measured(run, "duration", "s", Better::Neither, result.duration_s);
  add_measured(run, "input tokens", "", Better::Neither, result.input_tokens);
  add_measured(run, "output tokens", "", Better::Neither, result.output_tokens);
  add_measured(run, "requests asked for per second", "1/s", Better::Neither, result.asked_rate);
  add_measured(run, "requests served per second", "1/s", Better::Higher, result.request_rate);
  add_measured(run, "tokens per second", "1/s", Better::Higher, result.token_rate);
  add_measured(run, "time to first token", "s", Better::Lower, result.first_token_s);
  add_measured(run, "time per token", "s", Better::Lower, result.token_time_s);
  // The same load on other hosts has the same group, and its results are peers.
  const auto load = [](const std::optional<double>& value) {
    return std::to_string(std::llround(std::clamp(value.value_or(0), 0.0, 1e15)));
  };
  const std::string group = "serving of " + load(result.requests) + " requests, " +
                            load(result.input_tokens) + " tokens in, " + load(result.asked_rate) + "/s";
  for (auto [quantity, value] : run.measured) {
    quantity.group = group;
    if (quantity.better != Better::Neither && value > 0)
      sink.state(quantity, value, {});
  }
  sink.run(std::move(run));
}

const Format kServingText{"serving benchmark", "bench", kSummaryForms, Shape::Lines, make<ServingText>};
const Format
    kServingJson{"serving benchmark (JSON)", "bench", {}, Shape::Document, make<ServingJson>, score_of_json};

}  // namespace lento::desk
