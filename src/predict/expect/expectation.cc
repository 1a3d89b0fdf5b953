// Computes from the fitted constants of a software stack the expected time, with an interval from the errors
// of the shipped table, and the time that the limit of the hardware allows. Writes both as the headline.
#include "predict/expect/expectation.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "predict/expect/run_spread.h"
#include "predict/hardware/plausible.h"
#include "predict/time/hold_out.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_quantity;

// Formats a whole number with a comma every three digits: "16,384".
std::string with_commas(double whole) {
  std::string digits = std::to_string(int64_t(std::llround(whole)));
  for (int64_t at = int64_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

// Formats a value with three significant digits and a comma every three digits: "6,900", "36.2".
std::string rounded(double value) {
  const double step = std::pow(10, std::max(-2.0, std::floor(std::log10(std::max(value, 1e-9))) - 2));
  const double whole = std::round(value / step) * step;
  if (whole < 1000)
    return base::format_number(whole, 3);
  return with_commas(whole);
}

// An interval whose ends differ by more says nothing.
constexpr double kTooWide = 50;

std::string gibibytes(double bytes) {
  return base::format_number(bytes / double(1 << 30), 3);
}

// Lists the properties that no measured run shares with this one: its chip, its precision on it, its stack.
std::vector<std::string>
unmeasured(const SoftwareTable& table, const Expectation& e, const System& system, Precision p) {
  const std::string precision(name(p));
  bool chip = false;
  bool both = false;
  for (const FieldError& seen : table.errors) {
    if (seen.work != e.work || seen.chip != system.name)
      continue;
    chip = true;
    both = both || seen.precision == precision ||
           (bytes_of(p) == 2 && (seen.precision == "bf16" || seen.precision == "fp16"));
  }
  std::vector<std::string> out;
  const std::string what = e.work == Work::Train ? "training" : "serving";
  if (!chip || !is_measured_chip(system))
    out.push_back("no " + what + " run on this chip was seen");
  else if (!both)
    out.push_back("no " + what + " run of " + precision + " on this chip was seen");
  if (!e.stack.empty() && !e.known_stack) {
    const bool elsewhere = table.find(e.work, e.fitted).stack == e.stack && e.stack != kEager;
    out.push_back("no run of " + e.stack + (elsewhere ? " on devices of this maker" : "") + " was seen");
  }
  return out;
}

// Sets the expected time and its 90 % interval. No bound is below the limit of the hardware.
void add_interval(Expectation& e, double seconds) {
  const RunSpread& spread = shipped_spread(e.work);
  e.seconds = std::max(seconds * std::exp(spread.typical_error()), e.limit_s);
  const double over_limit = std::log(std::max(1.0, seconds / e.limit_s));
  const double wide = spread.half_width(over_limit, e.known_stack, 0.9);
  e.half_ratio = std::exp(spread.half_width(over_limit, e.known_stack, 0.5));
  e.fast_s = std::max(e.limit_s, e.seconds * std::exp(-wide));
  e.slow_s = e.seconds * std::exp(wide);
}

// Lists the usual mistakes in reporting a run on `devices` devices, of which `replica` hold one copy of the
// model.
std::vector<Miscount> miscounts_of_devices(int devices, int replica) {
  std::vector<Miscount> out;
  if (devices <= 1)
    return out;
  const std::string all = "all " + std::to_string(devices) + " GPUs";
  for (const auto& [of, what] :
       {std::pair{Miscount::Of::Tokens, "tokens"}, {Miscount::Of::Operations, "operations"}}) {
    out.push_back(
        {of, std::string("the ") + what + " of " + all + " were taken for those of one", double(devices)});
    if (replica > 1 && replica < devices)
      out.push_back(
          {of,
           std::string("the ") + what + " of one replica (" + std::to_string(replica) +
               " GPUs) were taken for those of one GPU",
           double(replica)});
    out.push_back({of, "the rate of one GPU was divided by " + all + " again", 1.0 / devices});
  }
  return out;
}

std::vector<Miscount> miscounts_of(const TrainingRun& run) {
  using Of = Miscount::Of;
  std::vector<Miscount> out = miscounts_of_devices(run.devices(), run.devices() / std::max(1, run.data));
  const auto steps = double(run.micro_batches());
  const double experts = run.model.parameters() / run.model.active_parameters();
  if (experts > 1)
    out.push_back({Of::Operations, "experts that a token does not use were counted", experts});
  if (run.recompute == Recompute::Full)
    out.push_back({Of::Operations, "operations of recomputation were counted", 4.0 / 3});
  if (steps > 1) {
    const std::string of_step =
        "one micro batch was taken for that of a step of " + base::format_number(steps);
    out.push_back({Of::Time, "the time of " + of_step, steps});
    out.push_back({Of::Tokens, "the time of " + of_step, steps});
  }
  out.push_back({Of::Operations, "a multiply-add was counted as one operation", 0.5});
  out.push_back({Of::Tokens, "sequences were counted in place of tokens", 1 / double(run.sequence)});
  out.push_back({Of::Time, "milliseconds were written for seconds", 1e3});
  out.push_back({Of::Time, "seconds were written for milliseconds", 1e-3});
  return out;
}

std::vector<Miscount> miscounts_of(const InferenceRun& run) {
  using Of = Miscount::Of;
  std::vector<Miscount> out = miscounts_of_devices(run.devices(), run.devices() / std::max(1, run.data));
  const auto output = double(run.output);
  out.push_back(
      {Of::Tokens, "tokens of the prompts were counted too", (double(run.prompt) + output) / output});
  if (run.batch > 1)
    out.push_back({Of::Tokens, "the rate of one request was taken for that of all", 1 / double(run.batch)});
  out.push_back({Of::Tokens, "requests were counted in place of tokens", 1 / output});
  out.push_back({Of::Time, "the time of one token was taken for that of all requests", output});
  out.push_back({Of::Time, "milliseconds were written for seconds", 1e3});
  out.push_back({Of::Time, "seconds were written for milliseconds", 1e-3});
  return out;
}

// Completes the expectation of a training run in its fastest micro batch and placement.
Expectation expect_training(const System& system, const TrainingRun& asked, Expectation e) {
  const Software& software = shipped_software().find(Work::Train, e.fitted);
  const TrainingRun run = with_placement(system, with_micro_batch(system, asked));
  const TrainedWork work(system, run);
  const TrainingTime time = work.time(software.scalars);
  e.limit_s = work.limit_s();
  e.tokens = work.tokens();
  e.sequences = double(run.global_batch);
  e.devices = run.devices();
  add_interval(e, work.seconds(software.scalars));
  e.peak_precision = run.products.value_or(run.precision);
  e.peak_share = time.utilisation * time.seconds / e.seconds;
  e.memory_bytes = time.memory_bytes;
  e.memory_error = memory_error();
  e.miscounts = miscounts_of(run);
  e.fits = time.fits;
  e.unmeasured = unmeasured(shipped_software(), e, system, run.products.value_or(run.precision));
  return e;
}

// Completes the expectation of requests served together, with times of the first and of later tokens.
Expectation expect_serving(const System& system, const InferenceRun& run, Expectation e) {
  const Software& software = shipped_software().find(Work::Serve, e.fitted);
  const ServedWork work(system, {run, e.fitted, false});
  e.limit_s = work.limit_s();
  e.tokens = work.tokens();
  e.devices = run.devices();
  add_interval(e, work.seconds(software.scalars));
  e.sequences = double(run.batch);
  e.requests = work.requests();
  e.together = work.together();
  e.first_token_s = work.first_token_s(software.scalars);
  e.last_first_token_s = work.last_first_token_s(software.scalars);
  e.per_token_s = work.step_s(software.scalars);
  e.memory_bytes = work.memory_bytes() + system.chip.memory_reserve;
  e.memory_share = cache_share_of(without_platform(e.fitted)).of_all;
  e.fits = work.fits();
  e.miscounts = miscounts_of(run);
  e.unmeasured = unmeasured(shipped_software(), e, system, run.precision);
  return e;
}

}  // namespace

std::optional<Expectation> expect_run(const System& system, const Question& question) {
  const auto* training = std::get_if<TrainingRun>(&question.what);
  const auto* serving = std::get_if<InferenceRun>(&question.what);
  if (!training && !serving)
    return std::nullopt;
  Expectation e;
  e.work = training ? Work::Train : Work::Serve;
  e.doubts = implausible_values(system);
  e.stack = stack_called(e.work, question.framework, {"--framework"});
  e.fitted = stack_on(e.stack, system.name);
  e.known_stack =
      !e.stack.empty() && e.stack != kEager && shipped_software().find(e.work, e.fitted).stack == e.fitted;
  return training ? expect_training(system, *training, e) : expect_serving(system, *serving, e);
}

std::string unlike_all_sheets(const Expectation& e) {
  std::string out = "the sheet is outside what was measured.";
  for (const std::string& doubt : e.doubts)
    out += " Check " + doubt + ".";
  return out;
}

std::string Expectation::memory_text(double device_bytes) const {
  const std::string room = gibibytes(memory_bytes) + " of " + gibibytes(device_bytes) + " GiB";
  if (at_edge(device_bytes))
    return "at the edge of memory: " + room + " counted, within " + base::percent(memory_error) +
           " in nine of ten runs";
  if (!fits && work == Work::Train)
    return "does not fit: " + room + " a device";
  if (!fits)
    return "does not fit: the weights and one request need " + gibibytes(memory_bytes) + " of " +
           gibibytes(memory_share * device_bytes) + " GiB a device" +
           (memory_share < 1 ? " (" + stack + " takes " + base::percent(memory_share) + " of " +
                                   gibibytes(device_bytes) + " GiB unless told otherwise)"
                             : "");
  if (together >= requests)
    return "fits in " + room;
  return "fits in " + room + " with " + with_commas(together) + " of " + with_commas(requests) +
         " requests at once, the others wait";
}

namespace {

// Writes the time between tokens, and when the first and the last request have their first token.
std::string latencies(const Expectation& e) {
  const std::string first = format_quantity(e.first_token_s, Dimension::Time);
  const std::string last = format_quantity(e.last_first_token_s, Dimension::Time);
  return format_quantity(e.per_token_s, Dimension::Time) + " per token, first after " + first +
         (first == last ? ""
                        : " (after " + last + " for the last of " + with_commas(e.sequences) + " requests)");
}

std::string sentence_of(std::string text) {
  text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

// Writes the first sentence of the answer: rates, share of the peak or latency, memory, and the properties
// that no measured run shares.
std::string headline(const System& system, const Expectation& e) {
  const std::string memory = e.memory_text(system.chip.memory_bytes);
  if (!e.fits && !e.at_edge(system.chip.memory_bytes))
    return sentence_of(memory) + (e.doubts.empty() ? "" : " " + sentence_of(unlike_all_sheets(e)));
  std::string out = rounded(e.per_device(e.seconds)) + " tokens/s per GPU";
  if (e.doubts.empty() && e.slow_s > kTooWide * e.fast_s)
    out = "No speed can be expected" +
          std::string(e.stack.empty() ? " of software that is not named (--framework)" : "") + ": " +
          rounded(e.per_device(e.slow_s)) + " to " + rounded(e.per_device(e.fast_s)) +
          " tokens/s per GPU in nine of ten such runs, the median " + rounded(e.per_device(e.seconds)) +
          "; the hardware allows " + rounded(e.per_device(e.limit_s)) + ". ";
  else if (e.doubts.empty())
    out += " (" + rounded(e.per_device(e.slow_s)) + " to " + rounded(e.per_device(e.fast_s)) +
           " in nine of ten such runs; the hardware allows " + rounded(e.per_device(e.limit_s)) + "). ";
  else
    out += ". How near is not known: " + unlike_all_sheets(e) + " ";
  out += e.work == Work::Train ? base::percent(e.peak_share) + " of peak, " : latencies(e) + "; ";
  out += memory + ".";
  for (const std::string& lack : e.unmeasured)
    out += " " + sentence_of(lack);
  return out;
}

}  // namespace lento::predict
