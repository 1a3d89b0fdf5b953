// Reads a measured figure in the units that people use, and compares it with the interval of expected times
// and with the limit of the hardware. Outside them, names the likely reason.
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
using Kind = MeasuredFigure::Kind;

std::string trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  const size_t to = text.find_last_not_of(" \t");
  return from == std::string_view::npos ? std::string() : std::string(text.substr(from, to - from + 1));
}

double model_flops_s(const System& system, const Expectation& e) {
  // These are the model operations of one device in one iteration, not per second.
  return e.peak_share * e.seconds * system.chip.peak(e.peak_precision);
}

// Lists peak rates that people mistake for the chip's dense peak: the peak with sparsity, of a narrower
// format and, `of_other_chips`, of another chip of the same maker. Each lowers or raises a reported share.
std::vector<Miscount> other_peaks(const System& system, Precision p, bool of_other_chips) {
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
  if (!of_other_chips)
    return out;
  const std::string maker = system.title.substr(0, system.title.find(' '));
  for (const System& other : shipped_systems()) {
    const double peak = other.chip.peak(p);
    if (other.name == other.family && peak > 0 && std::abs(peak / own - 1) > 0.02 &&
        other.title.starts_with(maker))
      add("the peak of " + (other.title.empty() ? other.name : other.title), peak);
  }
  return out;
}

// Returns the format in which a framework may have run the products of the run unasked, when the chip's peak
// in that format makes the time possible: tf32 for fp32, two bytes for either, eight bits for two bytes.
std::string possible_in(const System& system, const Expectation& e, double seconds) {
  const double own = system.chip.peak(e.peak_precision);
  for (const Precision p : {Precision::Tf32, Precision::Bf16, Precision::Fp16, Precision::Fp8}) {
    const bool narrower = bytes_of(p) < bytes_of(e.peak_precision) || e.peak_precision == Precision::Fp32;
    const double peak = system.chip.peak(p);
    if (narrower && peak > own && seconds >= e.limit_s * own / peak)
      return " It is possible if the products ran in " + std::string(name(p)) + ", not in " +
             std::string(name(e.peak_precision)) + ".";
  }
  return {};
}

// Returns the usual mistake that explains the figure, or nothing. A figure outside the interval is explained
// when its correction lies inside it. A share of the peak inside the interval is explained when its
// correction lies among the nearest half of such runs, because the peak with sparsity only halves the share.
std::string likely_mistake(
    const System& system,
    const Expectation& e,
    const MeasuredFigure& figure,
    Speed speed,
    double seconds) {
  const bool inside = speed == Speed::AsExpected;
  if (inside && figure.kind != Kind::Share)
    return {};
  std::vector<Miscount> mistakes = inside ? std::vector<Miscount>{} : e.miscounts;
  if (figure.kind == Kind::Share) {
    const std::vector<Miscount> peaks = other_peaks(system, e.peak_precision, !inside);
    mistakes.insert(mistakes.begin(), peaks.begin(), peaks.end());
  }
  const bool time =
      figure.kind == Kind::Time || figure.kind == Kind::StepTime || figure.kind == Kind::TokenTime;
  const bool rate = figure.kind == Kind::Tokens || figure.kind == Kind::Sequences;
  const Miscount::Of of =
      time ? Miscount::Of::Time : (rate ? Miscount::Of::Tokens : Miscount::Of::Operations);
  const double fast = inside ? e.seconds / e.half_ratio : e.fast_s;
  const double slow = inside ? e.seconds * e.half_ratio : e.slow_s;
  for (const Miscount& m : mistakes) {
    const double right = m.factor * seconds;
    const bool nearer = std::abs(std::log(right / e.seconds)) < std::abs(std::log(seconds / e.seconds));
    if (m.of == of && nearer && right > fast && right < slow)
      return m.what;
  }
  return {};
}

// Writes the sentence that compares a measured time with its expectation, and the likely reason of a
// difference.
std::string sentence(const System& system, const Expectation& e, const SpeedVerdict& v, double seconds) {
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
  else if (v.speed == Speed::Impossible)
    text += possible_in(system, e, seconds);
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
      "each further token",
      "cost of an iteration",
      "cost of all requests",
      "cost of a million tokens"};
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

// Returns the option of the next command to try: compare a measured run.
std::string next_question(const Expectation& e) {
  return "Compare your run with it: --measured '" + base::format_number(e.per_device(e.seconds), 3) +
         " tokens/s'";
}

}  // namespace

namespace {

// A unit of a figure without spaces and in lower case, after words such as "per gpu" were removed.
struct Unit {
  const char* spelling;
  Kind kind;
  double scale;
  bool inverse = false;  // the figure is steps per second, not seconds per step
};
constexpr Unit kUnits[] = {
    {"s", Kind::Time, 1},
    {"ms", Kind::Time, 1e-3},
    {"min", Kind::Time, 60},
    {"minute", Kind::Time, 60},
    {"s/step", Kind::StepTime, 1},
    {"ms/step", Kind::StepTime, 1e-3},
    {"step/s", Kind::StepTime, 1, true},
    {"s/token", Kind::TokenTime, 1},
    {"ms/token", Kind::TokenTime, 1e-3},
    {"token/s", Kind::Tokens, 1},
    {"ktoken/s", Kind::Tokens, 1e3},
    {"mtoken/s", Kind::Tokens, 1e6},
    {"request/s", Kind::Sequences, 1},
    {"gflop/s", Kind::Flops, 1e9},
    {"tflop/s", Kind::Flops, 1e12},
    {"pflop/s", Kind::Flops, 1e15},
    {"tflop", Kind::Flops, 1e12},
    {"pflop", Kind::Flops, 1e15},
    {"%", Kind::Share, 0.01},
    {"mfu", Kind::Share, 1}};

// Spellings that mean the same, replaced in this order.
constexpr std::pair<std::string_view, std::string_view> kSameUnits[] = {
    {"floating point operations", "flop"},
    {"per second", "/s"},
    {"per ", "/"},
    {"/gpu/s", "/s/gpu"},
    {"seconds", "s"},
    {"second", "s"},
    {"secs", "s"},
    {"sec", "s"},
    {"iterations", "step"},
    {"iteration", "step"},
    {"iters", "step"},
    {"iter", "step"},
    {"steps", "step"},
    {"tokens", "token"},
    {"requests", "request"},
    {"sequences", "request"},
    {"samples", "request"},
    {"minutes", "min"},
    {"flop/s/s", "flop/s"},
    {"flops/s", "flop/s"},
    {"flops", "flop/s"},
    {"of peak", ""},
    {"%mfu", "%"},
    {"% mfu", "%"}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Removes `word` from the end of the text, with the separators before it. Returns whether it was there.
bool take_ending(std::string& text, std::string_view word) {
  if (!text.ends_with(word))
    return false;
  text.resize(text.size() - word.size());
  while (!text.empty() && std::string_view(" ,/(").find(text.back()) != std::string_view::npos)
    text.pop_back();
  return true;
}

// Brings a unit to the spelling of kUnits. Sets `figure.total` when the unit names all devices, or names none
// and counts requests, as servers do.
std::string plain_unit(std::string text, MeasuredFigure& figure) {
  for (char& c : text)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [from, to] : kSameUnits)
    replace_all(text, from, to);
  constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {"tok/s", "token/s"},
      {"req/s", "request/s"},
      {"seq/s", "request/s"},
      {"s/it", "s/step"},
      {"it/s", "step/s"},
      {"s/tok", "s/token"}};
  take_ending(text, ")");
  bool each = false;
  for (const std::string_view device : {"/gpu", "/device", "/chip", "/accelerator"})
    each = take_ending(text, device) || each;
  for (const std::string_view all : {"total", "in all", "all gpus", "overall", "aggregate", "altogether"})
    figure.total = take_ending(text, all) || figure.total;
  std::erase(text, ' ');
  for (const auto& [from, to] : kEndings) {
    if (text.ends_with(from))
      text.replace(text.size() - from.size(), from.size(), to);
  }
  figure.total = figure.total || (!each && text == "request/s");
  return text;
}

// Returns the length of the number at the start: digits, a point, and commas between groups of three digits.
size_t number_length(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.' ||
                               (text[end] == ',' && end > 0 && end + 3 < text.size() &&
                                std::isdigit(static_cast<unsigned char>(text[end + 1])))))
    ++end;
  return end > 0 && text[end - 1] == '.' ? 0 : end;
}

constexpr const char* kFigureUnits =
    "13.2 s, 250 ms, 17.5 s/it, 6200 tokens/s (per GPU), 59520 tokens/s total, 20 requests/s, 25 ms/token, "
    "400 "
    "TFLOP/s (per GPU), 41 % (of peak)";

}  // namespace

std::optional<MeasuredFigure> parse_measured_figure(std::string_view given) {
  const std::string text = trimmed(given);
  if (text.starts_with('-') && number_length(std::string_view(text).substr(1)) > 0)
    throw base::Error({"--measured"}, "'" + text + "' is not above 0");
  const size_t end = number_length(text);
  std::string digits = text.substr(0, end);
  std::erase(digits, ',');
  const auto value = base::try_double(digits);
  if (!value)
    return std::nullopt;
  const std::string rest = text.substr(end);
  const std::string spelling = trimmed(rest);
  if (spelling.empty())
    throw base::Error({"--measured"}, "'" + text + "' has no unit", std::string("one of: ") + kFigureUnits);
  MeasuredFigure figure;
  const std::string plain = plain_unit(spelling, figure);
  const auto* unit = std::ranges::find(kUnits, plain, &Unit::spelling);
  if (unit == std::end(kUnits)) {
    if (rest[0] != ' ' && rest.find_first_of("/.\\") != std::string::npos)
      return std::nullopt;  // no figure but a path such as "2026-11/run.json"
    throw base::Error(
        {"--measured"},
        "the unit '" + spelling + "' is not known",
        std::string("one of: ") + kFigureUnits);
  }
  if (!(*value > 0))
    throw base::Error({"--measured"}, "'" + text + "' is not above 0");
  figure.kind = unit->kind;
  figure.value = (unit->inverse ? 1 / *value : *value) * unit->scale;
  return figure;
}

double seconds_of(const System& system, const Expectation& e, const MeasuredFigure& figure) {
  const double devices = figure.total ? 1 : e.devices;
  const auto refuse = [](const char* why, const char* instead) {
    throw base::Error({"--measured"}, why, instead);
  };
  switch (figure.kind) {
    case Kind::StepTime:
      if (e.work == Work::Serve)
        refuse("serving has no steps of training", "e.g. --measured '900 tokens/s' or '25 ms/token'");
      return figure.value;
    case Kind::Time:
      return figure.value;
    case Kind::TokenTime:
      if (e.work == Work::Train)
        refuse("training is measured in seconds a step or tokens/s", "e.g. --measured '13.2 s'");
      return e.seconds * figure.value / e.per_token_s;  // the load is slower by as much as each token
    case Kind::Tokens:
      return e.tokens / figure.value / devices;
    case Kind::Sequences:
      return e.sequences / figure.value / devices;
    case Kind::Flops:
    case Kind::Share:
      break;
  }
  if (e.work == Work::Serve)
    refuse("serving is measured in tokens/s or seconds", "e.g. --measured '900 tokens/s'");
  const double flops = model_flops_s(system, e);
  if (figure.kind == Kind::Share)
    return flops / (figure.value * system.chip.peak(e.peak_precision));
  return flops / figure.value * (figure.total ? e.devices : 1);
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
  v.text = sentence(system, e, v, seconds);
  return v;
}

namespace {

// Removes the times of a run that does not fit in memory.
void leave_out_times(finding::Diagnosis& d) {
  constexpr const char* kShown[] =
      {"asked", "parameters", "active parameters", "devices", "memory a device", "fits"};
  std::erase_if(d.facts, [&](const auto& fact) {
    return std::ranges::find(kShown, fact.first) == std::end(kShown);
  });
  d.figures.clear();
  d.expectations.clear();
}

// Replaces the memory and the energy of the data sheet's stack by those of the expectation, so that the
// report has one figure for each.
void state_memory_and_energy(finding::Diagnosis& d, const System& system, const Expectation& e) {
  for (auto& [name, value] : d.facts) {
    if (name == "energy, at most")
      value = format_quantity(system.chip.power_w * e.seconds * e.devices, Dimension::Energy);
    if (name == "memory a device")
      value = format_quantity(e.memory_bytes, Dimension::Bytes);
    else if (name == "fits")
      value = e.at_edge(system.chip.memory_bytes) ? "at the edge"
              : !e.fits                           ? "no"
              : e.together < e.requests ? "yes, " + base::format_number(e.together, 9) + " requests at once"
                                        : "yes";
  }
}

// Judges a measured figure, and adds a finding when the run is slow.
void state_measured(
    finding::Diagnosis& d,
    const System& system,
    const Expectation& e,
    const MeasuredFigure& measured) {
  const SpeedVerdict v = judge_speed(system, e, measured);
  const bool counted = e.fits || e.at_edge(system.chip.memory_bytes);
  if (!counted)
    d.remedy = std::string("Say how it ran: --parallel tp=8,dp=4 or, to search, all=32") +
               (e.work == Work::Train ? "; --recompute full" : "");
  d.verdict =
      v.text + " " +
      (counted ? d.verdict
               : "As asked it needs " + base::format_number(e.memory_bytes / double(1 << 30), 3) + " of " +
                     base::format_number(system.chip.memory_bytes / double(1 << 30), 3) +
                     " GiB a device, so that it ran with less than asked (" +
                     (e.work == Work::Train ? "recomputation, offloading, a compiled loss"
                                            : "weights of fewer bits, offloading, a shorter context") +
                     ") or in another layout.");
  d.facts.emplace_back("measured over expected time", "x" + base::format_number(v.factor, 3));
  if (v.speed != Speed::Slow)
    return;
  finding::Finding f;
  f.subject = e.work == Work::Train ? "step" : "serving";
  f.category = "slower than expected";
  f.summary = v.text;
  f.score = 1 - 0.05;
  f.factor = v.factor;
  f.next_step = "Check first: " + first_checks(e.work) + ".";
  d.findings.push_back(f);
}

}  // namespace

void state_expectation(
    finding::Diagnosis& d,
    const System& system,
    const Expectation& e,
    const std::optional<MeasuredFigure>& measured) {
  d.verdict = headline(system, e);
  mark_facts_of_sheet(d);
  state_memory_and_energy(d, system, e);
  if (!measured && !e.fits && !e.at_edge(system.chip.memory_bytes))
    return leave_out_times(d);
  if (!measured)
    d.remedy = next_question(e);
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
  d.facts.insert(d.facts.begin(), facts.begin(), facts.end());
  if (measured && !e.doubts.empty())
    finding::cannot_judge(d, unlike_all_sheets(e), "a data sheet with the chip's own values");
  else if (measured)
    state_measured(d, system, e, *measured);
}

}  // namespace lento::predict
