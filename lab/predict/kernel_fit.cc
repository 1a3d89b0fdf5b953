// A kernel on one chip has ten to sixty rows, too few for eight free scalars. Therefore scalars are fitted
// from the coarse to the fine: for the kind, for each kernel over all chips (as shares of their peaks), on
// one silicon in all formats, in one format, on each chip. A finer level starts from the coarser one, and
// its distance from it is penalised (pull_of). Chips of one silicon differ by memory and clock, which are in
// the sheet, so a distance from their common scalars is penalised most. A kernel of another design (without
// shared keys, without a skipped window) lies far away, so beyond kFar the penalty grows only by the
// logarithm of the distance.
#include "lab/predict/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "lab/predict/training_runs.h"

namespace lento::predict {
namespace {

constexpr const char* kTables[] = {
    "moe_aiconfigurator.csv.gz",
    "moe_amd_aiter.csv.gz",
    "attention_context_aiconfigurator.csv.gz",
    "attention_generation_aiconfigurator.csv.gz",
    "mla_aiconfigurator.csv.gz"};

using Rows = std::vector<const KernelRow*>;

constexpr double kStep = 0.4;      // of a scalar's logarithm, in which its distance is counted
constexpr double kFar = 3;         // steps
constexpr double kNear = 0.1;      // of an error: below, its square counts, so that fits rest on all rows
constexpr double kCap = 1.0;       // beyond, a row counts less: it may be another kernel than its table says
constexpr size_t kMostRows = 300;  // of a coarse level, evenly taken

double row_loss(const KernelRow& row, const KernelScalars& x) {
  const double ratio = time_kernel(row.kernel, x).seconds / row.measured.seconds;
  const double off = 0.6 * std::abs(std::log(ratio)) + 0.4 * std::abs(ratio - 1);
  if (off < kNear)
    return off * off / (2 * kNear) + kNear / 2;
  return off < kCap ? off : kCap + 0.2 * (off - kCap);
}

struct Fit {
  const Rows& rows;
  FusedKind kind;
  const KernelScalars* coarse;  // nullptr: free
  double pull;                  // in errors of one row, for a scalar that leaves the coarser level by kStep

  double operator()(const KernelScalars& x) const {
    double sum = 0;
    for (const KernelRow* row : rows)
      sum += row_loss(*row, x);
    if (!coarse)
      return sum;
    const size_t scalars = scalars_of(kind).size();
    for (size_t i = 0; i < scalars; ++i) {
      const double off = std::log(x[i] / (*coarse)[i]) / kStep;
      sum += pull * kFar * kFar * std::log1p(off * off / (kFar * kFar));
    }
    return sum;
  }
};

// Searches in the logarithm of each scalar, with steps that shrink, inside the scalars' ranges.
KernelScalars descend(const Fit& fit, KernelScalars x, std::span<const double> steps) {
  const std::span<const KernelScalar> scalars = scalars_of(fit.kind);
  double best = fit(x);
  for (const double step : steps) {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t i = 0; i < scalars.size(); ++i) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          KernelScalars tried = x;
          tried[i] = std::clamp(x[i] * factor, scalars[i].low, scalars[i].high);
          const double loss = fit(tried);
          if (loss < best * (1 - 1e-6)) {
            best = loss;
            x = tried;
            moved = true;
          }
        }
      }
    }
  }
  return x;
}

constexpr double kCoarseSteps[] = {0.8, 0.4};
constexpr double kFineSteps[] = {0.2, 0.1, 0.05, 0.02};
constexpr size_t kFollowed = 3;  // of the places, after the coarse steps

// Returns the starting points of a fit: the coarser level, and points far from it in one scalar, because a
// kernel that does not share keys lies far from one that does.
std::vector<KernelScalars> places(FusedKind kind, const KernelScalars& first, bool finer) {
  const std::span<const KernelScalar> scalars = scalars_of(kind);
  std::vector<KernelScalars> out{first};
  const size_t shares = 3;  // launch and shares of the peaks lie near
  for (size_t i = finer ? shares : 0; i < scalars.size(); ++i) {
    for (const double factor : {6.0, 1 / 6.0, 1 / 40.0, 40.0}) {
      KernelScalars start = first;
      start[i] = std::clamp(start[i] * factor, scalars[i].low, scalars[i].high);
      if (start != first)
        out.push_back(start);
    }
  }
  return out;
}

KernelScalars fitted(const Rows& all, FusedKind kind, const KernelScalars* coarse, double pull) {
  Rows rows;
  const size_t every = std::max<size_t>(1, all.size() / kMostRows);
  for (size_t i = 0; i < all.size(); i += every)
    rows.push_back(all[i]);
  const Fit fit{rows, kind, coarse, pull};
  std::vector<std::pair<double, KernelScalars>> tried;
  for (const KernelScalars& start : places(kind, coarse ? *coarse : start_of(kind), coarse != nullptr)) {
    const KernelScalars x = descend(fit, start, kCoarseSteps);
    tried.emplace_back(fit(x), x);
  }
  std::ranges::sort(tried);
  tried.resize(std::min(tried.size(), kFollowed));
  for (auto& [loss, x] : tried) {
    x = descend(fit, x, kFineSteps);
    loss = fit(x);
  }
  return std::ranges::min(tried).second;
}

using Name = std::array<std::string, 4>;  // chip, framework, format, kernel; empty: all

const std::string kRelatives = "relatives of ";  // before the name of the one they name

// The levels, coarse first. Each starts from the finest earlier level that covers it.
enum class Level {
  Kind,
  Kernel,
  Silicon,
  Relatives,
  Software,
  Exact
};
constexpr Level kLevels[] =
    {Level::Kind, Level::Kernel, Level::Silicon, Level::Relatives, Level::Software, Level::Exact};

// Returns the penalty for leaving the coarser level.
double pull_of(Level level) {
  switch (level) {
    case Level::Exact:
      return 1;
    case Level::Relatives:
      return 0.2;
    default:
      return 0.1;
  }
}

Level coarser(Level level) {
  switch (level) {
    case Level::Exact:
      return Level::Relatives;
    case Level::Relatives:
      return Level::Silicon;
    case Level::Silicon:
      return Level::Kernel;
    default:
      return Level::Kind;
  }
}

Name name_at(Level level, const KernelRow& row) {
  switch (level) {
    case Level::Kind:
      return {};
    case Level::Kernel:
      return {"", "", "", row.name};
    case Level::Silicon:
      return {kRelatives + row.root, "", "", row.name};
    case Level::Relatives:
      return {kRelatives + row.root, row.framework, row.format, row.name};
    case Level::Software:
      return {row.chip, row.framework, row.format, ""};
    default:
      return {row.chip, row.framework, row.format, row.name};
  }
}

struct Fitted {
  KernelScalars scalars{};
  size_t rows = 0;
};
using Constants = std::map<Name, Fitted>;

Constants fit_all(const Rows& rows, FusedKind kind) {
  Constants out;
  for (const Level level : kLevels) {
    std::map<Name, Rows> groups;
    for (const KernelRow* row : rows)
      groups[name_at(level, *row)].push_back(row);
    for (const auto& [name, group] : groups) {
      const KernelScalars* coarse =
          level == Level::Kind ? nullptr : &out.at(name_at(coarser(level), *group[0])).scalars;
      out[name] = {fitted(group, kind, coarse, pull_of(level)), group.size()};
    }
  }
  return out;
}

const KernelScalars& nearest(const Constants& constants, const KernelRow& row) {
  for (const Level level : {Level::Exact, Level::Relatives, Level::Kernel, Level::Software}) {
    const auto at = constants.find(name_at(level, row));
    if (at != constants.end())
      return at->second.scalars;
  }
  return constants.at({}).scalars;
}

// The three-constant roofline by chip, framework, format and kernel.
struct RooflineConstants {
  double compute = 0.5;
  double memory = 0.5;
  double launch_s = 1e-5;
};

double roofline_of(const KernelRow& row, const RooflineConstants& c) {
  return roofline_s(row.kernel, c.compute, c.memory, c.launch_s);
}

RooflineConstants fit_roofline(const Rows& rows) {
  const auto loss = [&rows](const RooflineConstants& c) {
    double sum = 0;
    for (const KernelRow* row : rows)
      sum += std::min(kCap, std::abs(std::log(roofline_of(*row, c) / row->measured.seconds)));
    return sum;
  };
  RooflineConstants x;
  double best = loss(x);
  for (const double step : {0.8, 0.4, 0.2, 0.1, 0.05, 0.02}) {
    for (bool moved = true; moved;) {
      moved = false;
      for (double RooflineConstants::*at :
           {&RooflineConstants::compute, &RooflineConstants::memory, &RooflineConstants::launch_s}) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          RooflineConstants tried = x;
          tried.*at *= factor;
          const double one = loss(tried);
          if (one < best * (1 - 1e-6)) {
            best = one;
            x = tried;
            moved = true;
          }
        }
      }
    }
  }
  return x;
}

constexpr uint64_t kParts = 4;

uint64_t part_of(const KernelRow& row) {
  return base::mix64(row.measured.index ^ 0x6b65726eULL) % kParts;
}

FusedKind kind_of_row(const KernelRow& row) {
  return row.kernel.kind;
}

Rows of_kind(const std::vector<KernelRow>& rows, FusedKind kind) {
  Rows out;
  for (const KernelRow& row : rows) {
    if (kind_of_row(row) == kind)
      out.push_back(&row);
  }
  return out;
}

Rows without(const Rows& rows, const auto& left_out) {
  Rows out;
  std::ranges::copy_if(rows, std::back_inserter(out), [&left_out](const KernelRow* row) {
    return !left_out(*row);
  });
  return out;
}

struct Key {
  const KernelRow* row;
  bool operator<(const Key& other) const {
    return row < other.row;
  }
};

void judge_kind(const Rows& rows, FusedKind kind, std::vector<JudgedKernel>& out) {
  std::map<Key, JudgedKernel> judged;
  for (const KernelRow* row : rows) {
    JudgedKernel& j = judged[{row}];
    j = {
        kind,
        row->chip,
        row->framework,
        row->measured.question,
        row->measured.index,
        row->measured.seconds,
        0,
        0,
        0};
  }
  for (uint64_t part = 0; part < kParts; ++part) {
    const auto is_here = [part](const KernelRow& row) {
      return part_of(row) == part;
    };
    const Rows seen = without(rows, is_here);
    const Constants constants = fit_all(seen, kind);
    std::map<Name, Rows> groups;
    for (const KernelRow* row : seen)
      groups[name_at(Level::Exact, *row)].push_back(row);
    std::map<Name, RooflineConstants> rooflines;
    for (const auto& [name, group] : groups)
      rooflines[name] = fit_roofline(group);
    const RooflineConstants any = fit_roofline(seen);
    for (const KernelRow* row : rows) {
      if (!is_here(*row))
        continue;
      JudgedKernel& j = judged[{row}];
      j.predicted_s = time_kernel(row->kernel, nearest(constants, *row)).seconds;
      const auto at = rooflines.find(name_at(Level::Exact, *row));
      j.roofline_s = roofline_of(*row, at == rooflines.end() ? any : at->second);
    }
  }
  std::map<std::string, Rows> chips;
  for (const KernelRow* row : rows)
    chips[row->chip].push_back(row);
  for (const auto& [chip, own] : chips) {
    const Rows others = without(rows, [&chip](const KernelRow& row) {
      return row.chip == chip;
    });
    if (others.empty())
      continue;
    const Constants constants = fit_all(others, kind);
    for (const KernelRow* row : own)
      judged[{row}].stranger_s = time_kernel(row->kernel, nearest(constants, *row)).seconds;
  }
  for (auto& [key, j] : judged)
    out.push_back(std::move(j));
}

}  // namespace

std::vector<KernelRow> kernel_rows(const std::string& folder) {
  std::vector<KernelRow> out;
  for (const char* table : kTables) {
    for (Measurement& m : published_rows(folder, table)) {
      const System* system = find_shipped(m.question.device);
      if (!system)
        continue;
      KernelRow row;
      row.chip = system->name;
      row.root = system->similar_chip.empty() ? system->name : system->similar_chip;
      row.framework = m.question.framework;
      if (const ExpertLayer* l = std::get_if<ExpertLayer>(&m.question.what)) {
        row.kernel = prepare(system->chip, *l);
        row.format = l->format.name;
        row.name = l->kernel;
      } else if (const AttentionKernel* k = std::get_if<AttentionKernel>(&m.question.what)) {
        row.kernel = prepare(system->chip, *k);
        row.format = k->format.name;
        row.name = k->kernel;
      } else {
        continue;
      }
      row.measured = std::move(m);
      out.push_back(std::move(row));
    }
  }
  return out;
}

std::vector<KernelConstants> fit_kernels(const std::vector<KernelRow>& rows, const base::Progress& progress) {
  std::vector<KernelConstants> out;
  for (size_t i = 0; i < kFusedKinds; ++i) {
    progress("kinds", double(i), kFusedKinds);
    const auto kind = static_cast<FusedKind>(i);
    const Rows own = of_kind(rows, kind);
    if (own.empty())
      continue;
    for (const auto& [name, fit] : fit_all(own, kind)) {
      const bool step_only = name[0].starts_with(kRelatives);
      if (step_only)
        continue;
      out.push_back({kind, name[0], name[1], name[2], name[3], fit.rows, fit.scalars});
    }
  }
  return out;
}

std::vector<JudgedKernel> judge_kernels(const std::vector<KernelRow>& rows, const base::Progress& progress) {
  std::vector<JudgedKernel> out;
  for (size_t i = 0; i < kFusedKinds; ++i) {
    progress("kinds", double(i), kFusedKinds);
    const auto kind = static_cast<FusedKind>(i);
    const Rows own = of_kind(rows, kind);
    if (!own.empty())
      judge_kind(own, kind, out);
  }
  return out;
}

}  // namespace lento::predict
