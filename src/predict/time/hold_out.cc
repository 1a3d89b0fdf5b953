// Looks up the error of similar measured questions: sizes and predicted time are put into buckets, and a
// bucket with too few rows falls back to a coarser one.
#include "predict/time/hold_out.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "base/error.h"
#include "base/number.h"
#include "embedded/hold_out_files.h"

namespace lento::predict {
namespace {

// The errors of this kind, predicted with generic constants, are used for kinds of questions that were never
// measured (graphs, fp8).
constexpr const char* kStandIn = "16-bit product";

struct Step {
  double below;
  const char* text;
};

// Returns the name of the class that the value falls into.
template <size_t N>
std::string bucket(const Step (&steps)[N], const char* last, double value) {
  for (const Step& step : steps) {
    if (value < step.below)
      return step.text;
  }
  return last;
}

std::string time_text(double seconds) {
  constexpr Step kSteps[] = {{1e-5, "below 10 us"}, {1e-4, "10 to 100 us"}, {1e-3, "0.1 to 1 ms"}};
  return bucket(kSteps, "from 1 ms", seconds);
}

std::string product_kind(const Gemm& g) {
  const bool whole = g.precision == Precision::Fp32;
  const bool half = g.precision == Precision::Fp16 || g.precision == Precision::Bf16;
  const std::string width = whole ? "32-bit" : half ? "16-bit" : std::string(name(g.precision));
  return (g.batch > 1 ? "batched " : "") + width + " product";
}

struct KindOf {
  std::string operator()(const Gemm& g) const {
    return product_kind(g);
  }
  std::string operator()(const LstmLayer& l) const {
    return l.pass == LstmLayer::Pass::Forward ? "recurrent layer" : "recurrent layer backward";
  }
  std::string operator()(const Collective& c) const {
    return std::string(name(c.op));
  }
  std::string operator()(const TrainingRun& r) const {
    return r.model.experts > 1 ? "training step of a mixture" : "training step";
  }
  std::string operator()(const InferenceRun& r) const {
    return r.model.experts > 1 ? "request to a mixture" : "request";
  }
  std::string operator()(const GraphRun&) const {
    return "graph";
  }
  std::string operator()(const ServingRun& r) const {
    return r.two_pools ? "served request, two pools" : "served request";
  }
  std::string operator()(const ExpertLayer&) const {
    return "layer of experts";
  }
  std::string operator()(const AttentionKernel& k) const {
    return "attention, " + std::string(name(k.kind));
  }
};

struct RegimeOf {
  double seconds;
  std::string operator()(const Gemm& g) const {
    constexpr Step kSteps[] = {{17, "m to 16"}, {129, "m 17 to 128"}, {1024, "m 129 to 1023"}};
    return bucket(kSteps, "m from 1024", double(g.m)) + ", " + time_text(seconds);
  }
  std::string operator()(const LstmLayer&) const {
    return seconds < 1e-2 ? "below 10 ms" : "from 10 ms";
  }
  std::string operator()(const Collective& c) const {
    constexpr Step kSteps[] = {{1 << 20, "below 1 MiB"}, {1 << 26, "1 to 64 MiB"}};
    return bucket(kSteps, "from 64 MiB", c.bytes);
  }
  std::string operator()(const TrainingRun& r) const {
    constexpr Step kSteps[] = {{9, "to 8 devices"}, {65, "9 to 64 devices"}, {513, "65 to 512 devices"}};
    return bucket(kSteps, "from 513 devices", r.devices());
  }
  std::string operator()(const InferenceRun&) const {
    return {};
  }
  std::string operator()(const GraphRun&) const {
    return {};
  }
  std::string operator()(const ServingRun&) const {
    return {};
  }
  std::string operator()(const ExpertLayer&) const {
    return time_text(seconds);
  }
  std::string operator()(const AttentionKernel&) const {
    return time_text(seconds);
  }
};

// Splits a line of the table: kind,chip,regime,rows,p50,p90. Fields that hold a comma are quoted.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

std::vector<HoldOutCell> parse_cells(std::string_view text) {
  std::vector<HoldOutCell> out;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (bool header = true; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    if (std::exchange(header, false))
      continue;
    const std::vector<std::string> f = fields_of(line);
    LENTO_CHECK(f.size() == 6, "the shipped table of errors has six columns");
    out.push_back(
        {f[0],
         f[1],
         f[2],
         size_t(base::parse_int(f[3], {})),
         base::parse_double(f[4], {}),
         base::parse_double(f[5], {})});
  }
  return out;
}

using Key = std::tuple<std::string, std::string, std::string>;

// Returns the errors of held-out rows of this kind of question, chip and regime (hold_out.h), or nullptr
// when the tables have none.
const HoldOutCell* lookup(const std::string& kind, const std::string& chip, const std::string& regime) {
  static const std::map<Key, const HoldOutCell*> cells = [] {
    std::map<Key, const HoldOutCell*> out;
    for (const auto* table : {&shipped_hold_out(), &shipped_serving_errors()}) {
      for (const HoldOutCell& c : *table)
        out[{c.kind, c.chip, c.regime}] = &c;
    }
    return out;
  }();
  const auto at = cells.find({kind, chip, regime});
  return at == cells.end() ? nullptr : at->second;
}

// Returns the errors of the regime, else those of all regimes together, else nullptr.
const HoldOutCell* nearest(const std::string& kind, const std::string& chip, const std::string& regime) {
  const HoldOutCell* cell = lookup(kind, chip, regime);
  return cell ? cell : lookup(kind, chip, "");
}

// Returns the uncertainty `s`, but no less than that of `floor`, a cell of more chips, because a few rows of
// one or two chips can agree by chance. Without `floor` it returns `s`.
Sureness at_least(Sureness s, const HoldOutCell* floor) {
  if (!floor)
    return s;
  return {std::max(s.p50, floor->p50), std::max(s.p90, floor->p90), s.measured};
}

}  // namespace

std::string kind_of(const Question& q) {
  return std::visit(KindOf{}, q.what);
}

std::string regime_of(const Question& q, double seconds) {
  return std::visit(RegimeOf{seconds}, q.what);
}

const std::vector<HoldOutCell>& shipped_hold_out() {
  static const std::vector<HoldOutCell> cells = parse_cells(embedded::hold_out_files("hold_out_errors.csv"));
  return cells;
}

const std::vector<HoldOutCell>& shipped_serving_errors() {
  static const std::vector<HoldOutCell> cells = parse_cells(embedded::hold_out_files("serving_errors.csv"));
  return cells;
}

double memory_error() {
  const HoldOutCell* cell = lookup(kTrainingMemory, kFittedChip, "");
  return cell ? cell->p90 : 0;
}

Sureness
sureness(const System& system, const Question& question, double seconds, Constants constants, double stated) {
  const std::string kind = kind_of(question);
  const std::string regime = regime_of(question, seconds);
  if (constants == Constants::Own) {
    std::vector<std::string> chips{system.name, system.family};
    if (!question.framework.empty())
      chips.insert(chips.begin(), system.name + "/" + question.framework);
    for (const std::string& chip : chips) {
      const HoldOutCell* cell = nearest(kind, chip, regime);
      if (!cell)
        continue;
      const bool other_software = chip == system.name || chip == system.family;
      const bool few = other_software && cell->rows < kFewestRows;
      return at_least(
          {cell->p50, cell->p90, cell->regime == regime},
          few ? lookup(kind, kFittedChip, "") : nullptr);
    }
    // In all measured tables the median error is about 0.7 times the mean, and 90 % of the errors are below
    // 2.2 times the mean.
    if (stated > 0)
      return {0.7 * stated, 2.2 * stated, true};
  }
  const bool none = constants == Constants::Generic;
  for (const char* chip : {none ? kGenericChip : kRelativeChip, kGenericChip, kFittedChip}) {
    const HoldOutCell* cell = nearest(kind, chip, regime);
    if (!cell)
      continue;
    const HoldOutCell* all = lookup(kind, chip, "");
    const bool few = all && all->rows < kFewestStrangers;
    return at_least({cell->p50, cell->p90, false}, few ? lookup(kStandIn, kGenericChip, "") : nullptr);
  }
  const HoldOutCell* cell = lookup(kStandIn, kGenericChip, "");
  return cell ? Sureness{cell->p50, cell->p90, false} : Sureness{1, 1, false};
}

}  // namespace lento::predict
