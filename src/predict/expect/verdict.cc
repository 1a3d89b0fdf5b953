// Reads a measured figure in the units that people use, compares it with both answers, and names the likely
// reason when it lies outside them.
#include "predict/expect/verdict.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/number.h"
#include "base/units.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_quantity;

std::string trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  const size_t to = text.find_last_not_of(" \t");
  return from == std::string_view::npos ? std::string() : std::string(text.substr(from, to - from + 1));
}

double model_flops_s(const System& system, const Expectation& e) {
  // Operations per second of one device.
  return e.peak_share * e.seconds * system.chip.peak(e.peak_precision);
}

// Lists peak rates that people mistake for the chip's dense peak: the peak with sparsity, of a narrower
// format, of another chip of the same maker. Each lowers or raises a reported share.
std::vector<Miscount> other_peaks(const System& system, Precision p) {
  const double own = system.chip.peak(p);
  std::vector<Miscount> out;
  const auto add = [&](const std::string& what, double peak) {
    out.push_back(
        {Miscount::Of::Operations,
         what + " was taken for the dense " + format_quantity(own, Dimension::Rate),
         own / peak});
  };
  add("the peak with sparsity", 2 * own);
  const double eight = system.chip.peak(Precision::Fp8);
  if (bytes_of(p) == 2 && eight > 0)
    add("the peak of eight bits", eight);
  const std::string maker = system.title.substr(0, system.title.find(' '));
  for (const System& other : shipped_systems()) {
    const double peak = other.chip.peak(p);
    if (other.name == other.family && peak > 0 && std::abs(peak / own - 1) > 0.02 &&
        other.title.starts_with(maker))
      add("the peak of " + (other.title.empty() ? other.name : other.title), peak);
  }
  return out;
}

// Returns the usual mistake that explains the figure, or nothing. Without the mistake a figure outside the
// interval would lie inside it. A share of the peak inside the interval would be as near as half of such runs
// are, because the peak with sparsity only halves it.
std::string likely_mistake(
    const System& system,
    const Expectation& e,
    const MeasuredFigure& figure,
    Speed speed,
    double seconds) {
  using Kind = MeasuredFigure::Kind;
  const bool inside = speed == Speed::AsExpected;
  if (inside && figure.kind != Kind::Share)
    return {};
  std::vector<Miscount> mistakes = inside ? std::vector<Miscount>{} : e.miscounts;
  if (figure.kind == Kind::Share) {
    const std::vector<Miscount> peaks = other_peaks(system, e.peak_precision);
    mistakes.insert(mistakes.begin(), peaks.begin(), peaks.end());
  }
  const Miscount::Of of = figure.kind == Kind::Time     ? Miscount::Of::Time
                          : figure.kind == Kind::Tokens ? Miscount::Of::Tokens
                                                        : Miscount::Of::Operations;
  const double fast = inside ? e.seconds / e.half_ratio : e.fast_s;
  const double slow = inside ? e.seconds * e.half_ratio : e.slow_s;
  for (const Miscount& m : mistakes) {
    const double right = m.factor * seconds;
    if (m.of == of && right > fast && right < slow)
      return m.what;
  }
  return {};
}

// Writes the sentence that compares a measured time with its expectation, and the likely reason of a
// difference.
std::string sentence(const Expectation& e, const SpeedVerdict& v, double seconds) {
  const std::string measured = "Measured " + format_quantity(seconds, Dimension::Time) + " for " +
                               format_quantity(e.seconds, Dimension::Time) + " (" +
                               format_quantity(e.fast_s, Dimension::Time) + " to " +
                               format_quantity(e.slow_s, Dimension::Time) + "): ";
  std::string text;
  switch (v.speed) {
    case Speed::AsExpected:
      text = "as expected.";
      break;
    case Speed::Slow:
      text = "slower than nine of ten such runs, by x" + base::format_number(v.factor, 3) + ".";
      break;
    case Speed::Fast:
      text = "faster than nine of ten such runs, and possible.";
      break;
    case Speed::Impossible:
      text = "faster than the hardware allows (" + format_quantity(e.limit_s, Dimension::Time) +
             "): check the numbers.";
      break;
  }
  if (!v.mistake.empty())
    text += (v.speed == Speed::AsExpected ? " It is as near as half of such runs are if "
                                          : " It lies among nine of ten such runs if ") +
            v.mistake + ".";
  return measured + text;
}

// Labels the figures that were computed with the data sheet's own stack, so that two figures of the same
// quantity have different labels.
void mark_facts_of_sheet(finding::Diagnosis& d) {
  constexpr const char* kBoth[] = {
      "time",
      "error, half of such",
      "error, nine of ten",
      "tokens per second",
      "model flops utilisation",
      "first token",
      "time per token"};
  for (auto& [name, value] : d.facts) {
    if (std::ranges::find(kBoth, name) != std::end(kBoth))
      name += ", kernels of the sheet";
  }
}

// Returns the checks that cost least effort when a run is slow.
std::string first_checks(Work work) {
  return work == Work::Train
             ? "clocks and power while it runs (nvidia-smi dmon), the bandwidth of one all-reduce over all "
               "devices, one step with synthetic data"
             : "requests that really run together (the engine's log), graphs or compilation switched on, the "
               "same load with one device";
}

// Returns the question that usually follows: is a run of one's own as fast, and is another layout faster.
std::string next_question(const Expectation& e) {
  const std::string compare = "Compare your run with it: --measured '" +
                              base::format_number(e.per_device(e.seconds), 3) + " tokens/s'";
  const bool laid_out = e.work == Work::Train && e.devices > 1;
  return compare + (laid_out ? "; find a faster layout: --parallel all=" + std::to_string(e.devices) : "");
}

}  // namespace

std::optional<MeasuredFigure> parse_measured_figure(std::string_view given) {
  const std::string text = trimmed(given);
  size_t end = 0;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
    ++end;
  const auto value = base::try_double(text.substr(0, end));
  const std::string unit = trimmed(text.substr(end));
  if (end == 0 || !value || text[end - 1] == '.')
    return std::nullopt;
  using Kind = MeasuredFigure::Kind;
  const auto positive = [&](Kind kind, double scale) {
    if (!(*value > 0))
      throw base::Error({"--measured"}, "'" + text + "' is not above 0");
    return MeasuredFigure{kind, *value * scale};
  };
  if (unit == "s" || unit == "ms")
    return positive(Kind::Time, unit == "s" ? 1 : 1e-3);
  if (unit.empty() || unit.starts_with("tok"))
    return positive(Kind::Tokens, 1);
  if (unit.starts_with("TF"))
    return positive(Kind::Flops, 1e12);
  if (unit == "%")
    return positive(Kind::Share, 0.01);
  if (unit.find_first_of("/.\\") != std::string::npos)
    return std::nullopt;  // no figure but a path such as "2026-11/run.json"
  throw base::Error(
      {"--measured"},
      "the unit '" + unit + "' is not known",
      "s, ms, tokens/s (per GPU), TFLOP/s (per GPU) or %");
}

double seconds_of(const System& system, const Expectation& e, const MeasuredFigure& figure) {
  using Kind = MeasuredFigure::Kind;
  if (figure.kind == Kind::Time)
    return figure.value;
  if (figure.kind == Kind::Tokens)
    return e.tokens / figure.value / e.devices;
  if (e.work == Work::Serve)
    throw base::Error(
        {"--measured"},
        "serving is measured in tokens/s or seconds",
        "e.g. --measured '900 tokens/s'");
  const double flops = model_flops_s(system, e);
  return flops /
         (figure.kind == Kind::Flops ? figure.value : figure.value * system.chip.peak(e.peak_precision));
}

// Compares a measured figure with the interval and the limit, and looks for a mistake that would explain it.
SpeedVerdict judge_speed(const System& system, const Expectation& e, const MeasuredFigure& figure) {
  const double seconds = seconds_of(system, e, figure);
  SpeedVerdict v;
  v.factor = seconds / e.seconds;
  v.speed = seconds < e.limit_s  ? Speed::Impossible
            : seconds < e.fast_s ? Speed::Fast
            : seconds > e.slow_s ? Speed::Slow
                                 : Speed::AsExpected;
  if (v.speed == Speed::Impossible || std::abs(std::log(v.factor)) > std::log(e.half_ratio))
    v.mistake = likely_mistake(system, e, figure, v.speed, seconds);
  v.text = sentence(e, v, seconds);
  return v;
}

void state_expectation(
    finding::Diagnosis& d,
    const System& system,
    const Expectation& e,
    const std::optional<MeasuredFigure>& measured) {
  d.verdict = headline(system, e);
  if (!measured)
    d.remedy = next_question(e);
  mark_facts_of_sheet(d);
  const auto rate = [&e](double seconds) {
    return base::format_number(e.per_device(seconds), 4) + " tokens/s per GPU";
  };
  std::vector<std::pair<std::string, std::string>> facts = {
      {"expected", format_quantity(e.seconds, Dimension::Time) + ", " + rate(e.seconds)},
      {"software", e.stack.empty() ? "none named: any" : e.stack + (e.known_stack ? "" : ", never seen")}};
  if (e.doubts.empty())
    facts.insert(
        facts.begin() + 1,
        {{"nine of ten such runs", rate(e.slow_s) + " to " + base::format_number(e.per_device(e.fast_s), 4)},
         {"the hardware allows", format_quantity(e.limit_s, Dimension::Time) + ", " + rate(e.limit_s)}});
  if (measured && !e.doubts.empty()) {
    finding::cannot_judge(d, unlike_all_sheets(e), "a data sheet with the chip's own values");
  } else if (measured) {
    const SpeedVerdict v = judge_speed(system, e, *measured);
    d.verdict = v.text + " " + d.verdict;
    facts.emplace_back("measured over expected time", "x" + base::format_number(v.factor, 3));
    if (v.speed == Speed::Slow) {
      finding::Finding f;
      f.subject = e.work == Work::Train ? "step" : "serving";
      f.category = "slower than expected";
      f.summary = v.text;
      f.score = 1 - 0.05;
      f.factor = v.factor;
      f.next_step = "Check first: " + first_checks(e.work) + ".";
      d.findings.push_back(f);
    }
  }
  d.facts.insert(d.facts.begin(), facts.begin(), facts.end());
}

}  // namespace lento::predict
