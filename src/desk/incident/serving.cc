// Judges results of serving benchmarks. One result has no peer. Its expected speed follows from the model,
// the GPU, the parallelism and the precision, most of which the result does not state. Therefore the judge
// states the measured speed and the facts that are missing.
//
// A queue is visible in the result itself. Requests arrive by a Poisson process at the requested rate, so
// that the last of n arrives at n / rate +- sqrt(n) / rate. When the run ends later than that by more than
// the time of one request, requests waited: the rate is above the speed of the server, and the time to the
// first token measures the queue.
#include <cmath>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

double normal_tail(double z) {
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

std::string time_text(double seconds) {
  return base::format_quantity(seconds, base::Dimension::Time);
}

// Returns the tokens of one request, or 0 when the result does not state them.
double tokens_of(const Run& run, const char* which) {
  const double requests = measured(run, "requests").value_or(0);
  return requests > 0 ? measured(run, which).value_or(0) / requests : 0;
}

// Returns a sentence when requests arrive faster than they are served, else "".
std::string queue_of(const Run& run, double false_alarms) {
  const auto asked = measured(run, "requests asked for per second");
  const auto requests = measured(run, "requests");
  const auto duration = measured(run, "duration");
  const auto first = measured(run, "time to first token");
  const auto token = measured(run, "time per token");
  if (!asked || !requests || !duration || !first || !token || *asked <= 0 || *requests <= 0)
    return "";
  const double request = *first + *token * std::max(tokens_of(run, "output tokens") - 1, 0.0);
  const double late = *duration - *requests / *asked - request;
  const double deviation = std::sqrt(*requests) / *asked;
  if (late <= 0 || normal_tail(late / deviation) > false_alarms)
    return "";
  return "the last answer came " + time_text(late) +
         " later than the last arrivals and one request explain: requests queued, the rate is above what is "
         "served";
}

// Describes a serving run in words.
std::string measured_text(const Run& run) {
  std::string text = fact(run, "model").empty() ? "a serving run" : "a serving run of " + fact(run, "model");
  const double input = tokens_of(run, "input tokens");
  const double output = tokens_of(run, "output tokens");
  if (input > 0 && output > 0)
    text += ", " + base::format_number(input) + " tokens in and " + base::format_number(output) +
            " out a request";
  if (const auto asked = measured(run, "requests asked for per second"))
    text += ", " + base::format_number(*asked) + " requests/s asked for";
  if (const auto served = measured(run, "requests served per second"))
    text += ", " + base::format_number(*served) + " served";
  if (const auto rate = measured(run, "tokens per second"))
    text += ", " + base::format_number(*rate) + " tokens/s";
  if (const auto first = measured(run, "time to first token"))
    text += ", first token after " + time_text(*first);
  if (const auto token = measured(run, "time per token"))
    text += ", " + time_text(*token) + " a token";
  return text;
}

// Returns the command that predicts a run like this one.
std::string command_of(const Run& run) {
  std::string command = "lento predict config.json --system h100 --parallel tp=4 --precision bf16";
  const double input = tokens_of(run, "input tokens");
  const double output = tokens_of(run, "output tokens");
  if (input >= 1 && output >= 1)
    command += " --sequence " + std::to_string(std::llround(std::min(input, 1e9))) + " --generate " +
               std::to_string(std::llround(std::min(output, 1e9)));
  return command;
}

// Returns the speed with the number of concurrent requests: their rate times their duration (Little 1961).
std::optional<MeasuredSpeed> speed_of(const Run& run) {
  const auto rate = measured(run, "requests served per second");
  const auto first = measured(run, "time to first token");
  const auto token = measured(run, "time per token");
  MeasuredSpeed speed;
  speed.model = fact(run, "model");
  speed.software = fact(run, "tool");
  speed.input_tokens = tokens_of(run, "input tokens");
  speed.output_tokens = tokens_of(run, "output tokens");
  if (!first || !token || speed.output_tokens < 1)
    return std::nullopt;
  speed.first_token_s = *first;
  speed.per_token_s = *token;
  speed.tokens_per_s = measured(run, "tokens per second").value_or(0);
  speed.value = *first + *token * (speed.output_tokens - 1);
  speed.together = rate ? *rate * speed.value : measured(run, "requests").value_or(0);
  return speed;
}

// Compares a run with its expectation when the hardware is named. Returns false when it cannot be compared.
bool compare(
    const Run& run,
    const Records& records,
    const JudgeOptions& options,
    Judgement& out,
    std::string& reason) {
  if (!options.compare) {
    reason =
        "the result does not state the GPU, the parallelism and the precision, from which follows how fast "
        "it should be";
    return false;
  }
  const auto speed = speed_of(run);
  if (!speed) {
    reason = "the result does not hold the times of a request and its tokens";
    return false;
  }
  const auto compared = options.compare(*speed, reason);
  if (!compared)
    return false;
  out.facts.emplace_back("measured", measured_text(run));
  out.facts.emplace_back(
      "requests at one time",
      base::format_number(speed->together, 3) + " (their rate times their time)");
  add_compared(*compared, "the serving run", place_text(records, run.where), out);
  return true;
}

}  // namespace

void add_compared(
    const ComparedSpeed& compared,
    const std::string& subject,
    const std::string& source,
    Judgement& out) {
  using Outcome = ComparedSpeed::Outcome;
  out.facts.insert(out.facts.end(), compared.facts.begin(), compared.facts.end());
  out.facts.emplace_back("measured against expected", compared.text);
  out.all_clear = compared.text;
  if (compared.outcome == Outcome::Impossible)
    out.open.push_back(
        {compared.text,
         "the model, precision and parallelism that really ran: one that is named may not be"});
  if (compared.outcome != Outcome::Slow)
    return;
  finding::Finding finding;
  finding.subject = subject;
  finding.category = "slower than expected";
  finding.summary = compared.text;
  finding.score = 0.95;
  finding.factor = compared.factor;
  finding.evidence.push_back({compared.text, compared.factor, "times the expected time", source});
  finding.next_step =
      "look at what lies between kernels: requests that really run together, graphs switched on, clocks and "
      "power "
      "(nvidia-smi dmon), the bandwidth of one all-reduce over its GPUs";
  out.findings.push_back(std::move(finding));
}

// Judges serving runs by queueing and by the predicted speed.
void judge_serving(const Records& records, const JudgeOptions& options, Judgement& out) {
  constexpr size_t kMostQuestions = 8;
  constexpr size_t kFewestPeers = 4;
  std::set<std::string> hosts;  // whose runs are compared with each other (states.cc)
  for (const Run& run : records.runs())
    if (run.kind == "serving benchmark" && !run.subject.host.empty())
      hosts.insert(run.subject.host);
  size_t seen = 0;
  for (const Run& run : records.runs()) {
    if (run.kind != "serving benchmark" || seen++ >= kMostQuestions)
      continue;
    if (const std::string queue = queue_of(run, options.false_alarms); !queue.empty())
      out.notes.push_back(place_text(records, run.where) + ": " + queue);
    std::string reason;
    if (compare(run, records, options, out, reason) || hosts.size() >= kFewestPeers)
      continue;
    out.open.push_back(
        {measured_text(run) + ": " + reason,
         "name them: lento diagnose " + records.files[run.where.file].path +
             " --system h100 --parallel tp=4 --precision bf16 (and --model NAME or its config.json), or '" +
             command_of(run) + "' prints what should be reached, with its stated error"});
  }
  if (seen > 0)
    out.covered.push_back(std::to_string(seen) + (seen == 1 ? " serving run" : " serving runs"));
}

}  // namespace lento::desk
