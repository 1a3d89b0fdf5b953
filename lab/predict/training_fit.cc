// Fits the scalars of training stacks level by level, from all chips to one release on one silicon.
#include "lab/predict/training_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "evidence/sample.h"
#include "predict/time/training/placement.h"

namespace lento::predict {
namespace {

constexpr double kMostOff = 0.7;  // a run that is stalled by what is not modelled counts no more
constexpr size_t kFewModels = 3;  // each is a part of its own

using Runs = std::vector<const PublishedRun*>;

struct Scalar {
  double Stack::*at;
  // beyond, another term is meant
  double low;
  double high;
  double pull;  // of a run's error, for a scalar that doubles
};
const std::vector<Scalar> kScalars = {
    {&Stack::library, 0.3, 1.1, 0.1},
    {&Stack::pointwise, 0.7, 8, 0.1},
    {&Stack::attention, 0.15, 1.3, 0.4},
    {&Stack::overlap, 0.2, 1, 0.3},
    {&Stack::host_layer_s, 1e-4, 1e-2, 0.1}};
// The scalars that differ between releases of one software.
const std::vector<Scalar> kReleaseScalars = {
    {&Stack::library, 0.3, 1.1, 0.1},
    {&Stack::pointwise, 0.7, 8, 0.1},
    {&Stack::host_layer_s, 1e-4, 1e-2, 0.1}};

TrainingTime timed(const PublishedRun& run, const Stack& stack) {
  System system = *find_shipped(run.chip);
  const Stack& shipped = stack_for(system, run.framework());
  const double kept = shipped.kept;
  const double logit_bytes = shipped.logit_bytes;
  system.stack = stack;
  system.stack.kept = kept;  // of memory, which no measured time shows
  system.stack.logit_bytes = logit_bytes;
  return predict_training(system, with_placement(system, with_micro_batch(system, run.run())));
}

double off(const PublishedRun& run, const Stack& stack) {
  return std::min(kMostOff, std::abs(std::log(timed(run, stack).seconds / run.measured.seconds)));
}

double total(const Runs& runs, const Stack& x, const Stack& coarse) {
  double sum = 0;
  for (const PublishedRun* run : runs)
    sum += off(*run, x);
  for (const Scalar& scalar : kScalars) {
    const double steps = std::log2(x.*scalar.at / coarse.*scalar.at);
    sum += scalar.pull * steps * steps;
  }
  return sum;
}

// Fits scalar by scalar, in ever smaller steps.
Stack fitted(const Runs& runs, const Stack& coarse, const std::vector<Scalar>& scalars) {
  Stack x = coarse;
  double best = total(runs, x, coarse);
  for (const double step : {0.4, 0.2, 0.1, 0.05}) {
    bool better = true;
    for (int round = 0; better && round < 6; ++round) {
      better = false;
      for (const Scalar& scalar : scalars) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          Stack tried = x;
          tried.*scalar.at = std::clamp(x.*scalar.at * factor, scalar.low, scalar.high);
          const double error = total(runs, tried, coarse);
          if (error >= best - 1e-9)
            continue;
          best = error;
          x = tried;
          better = true;
        }
      }
    }
  }
  return x;
}

Runs those_where(const Runs& runs, const std::function<bool(const PublishedRun&)>& keep) {
  Runs out;
  for (const PublishedRun* run : runs) {
    if (keep(*run))
      out.push_back(run);
  }
  return out;
}

// Predicts software on silicon without any of its runs: the clock that power sustains grows with its square
// root between chips of one design.
Stack carried_over(Stack stack, const Runs& seen, const std::string& silicon) {
  const Chip& here = find_shipped(silicon)->chip;
  for (const PublishedRun* run : seen) {
    const Chip& there = find_shipped(run->chip)->chip;
    if (there.units != here.units || there.clock_hz != here.clock_hz)
      continue;
    stack.library *= std::sqrt(here.power_w / there.power_w);
    break;
  }
  return stack;
}

// Returns the start of the fit: the values that training on the chips' own stacks was found to need.
Stack start_of() {
  Stack s;
  s.library = 0.75;
  s.pointwise = 1.3;
  s.overlap = 0.9;
  s.host_layer_s = 1e-3;
  s.attention = 0.8;
  s.launch_s = 1.5e-6;
  return s;
}

// Fits of coarser levels, each made once.
class Levels {
 public:
  explicit Levels(const Runs& seen)
      : seen_(seen) {
  }

  Stack fit(const std::string& silicon, const std::string& software, const std::string& framework) {
    const Runs of_software = those_where(seen_, [&](const PublishedRun& r) {
      return r.software == software;
    });
    const Runs there = those_where(of_software, [&](const PublishedRun& r) {
      return r.silicon == silicon;
    });
    const Runs own = those_where(there, [&](const PublishedRun& r) {
      return r.framework() == framework;
    });
    if (!everywhere_.contains(software))
      everywhere_[software] = fitted(of_software, start_of(), kScalars);
    const Stack& coarse = everywhere_[software];
    const auto key = std::pair(silicon, software);
    if (!here_.contains(key))
      here_[key] =
          there.empty() ? carried_over(coarse, of_software, silicon) : fitted(there, coarse, kScalars);
    Stack stack = fitted(own, here_[key], kReleaseScalars);
    stack.framework = framework;
    return stack;
  }

 private:
  Runs seen_;
  std::map<std::string, Stack> everywhere_;
  std::map<std::pair<std::string, std::string>, Stack> here_;
};

double work_of(const PublishedRun& run, const TrainingTime& time) {
  const double passes = run.run().recompute == Recompute::Full ? 4.0 / 3 : 1;
  const Chip& chip = find_shipped(run.chip)->chip;
  return passes * time.model_flops /
         (run.run().devices() * chip.peak(run.run().products.value_or(run.run().precision)));
}

// Returns the median share of the peak on the same silicon and software in other parts, or else in any
// software.
double flat_share(
    const std::vector<PublishedRun>& runs,
    const std::vector<int>& parts,
    const std::vector<double>& work,
    size_t at) {
  std::vector<double> near;
  std::vector<double> any;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].software != runs[at].software || parts[i] == parts[at])
      continue;
    const double share = work[i] / runs[i].measured.seconds;
    any.push_back(share);
    if (runs[i].silicon == runs[at].silicon)
      near.push_back(share);
  }
  return !near.empty() ? evidence::median(near) : any.empty() ? 0.4 : evidence::median(any);
}

}  // namespace

std::vector<int> parts_by_model(const std::vector<PublishedRun>& runs) {
  std::map<std::string, std::set<double>> sizes;
  for (const PublishedRun& run : runs)
    sizes[run.software].insert(run.parameters);
  std::vector<int> out;
  for (const PublishedRun& run : runs) {
    const std::set<double>& of = sizes[run.software];
    const auto place = int(std::distance(of.begin(), of.find(run.parameters)));
    out.push_back(of.size() <= kFewModels ? place : place % 2);
  }
  return out;
}

StackTable fit_stacks(const std::vector<PublishedRun>& runs, int part, const base::Progress& progress) {
  const std::vector<int> parts = parts_by_model(runs);
  Runs seen;
  std::map<std::pair<std::string, std::string>, std::string> wanted;
  for (size_t i = 0; i < runs.size(); ++i) {
    wanted[{runs[i].silicon, runs[i].framework()}] = runs[i].software;
    if (parts[i] != part)
      seen.push_back(&runs[i]);
  }
  Levels levels(seen);
  StackTable out;
  for (const auto& [key, software] : wanted) {
    progress("stacks", double(out.size()), double(wanted.size()));
    Stack& stack = out[key] = levels.fit(key.first, software, key.second);
    const Stack& shipped = stack_for(*find_shipped(key.first), key.second);
    stack.kept = shipped.kept;
    stack.logit_bytes = shipped.logit_bytes;
  }
  return out;
}

std::vector<JudgedRun> judge_training(const std::vector<PublishedRun>& runs, const base::Progress& progress) {
  const std::vector<int> parts = parts_by_model(runs);
  std::vector<StackTable> by_part;
  for (int part = 0; part < int(kFewModels); ++part)
    by_part.push_back(fit_stacks(runs, part, progress));
  std::vector<JudgedRun> out;
  std::vector<double> work;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Stack& stack = by_part[size_t(parts[i])].at({runs[i].silicon, runs[i].framework()});
    out.push_back({&runs[i], timed(runs[i], stack)});
    work.push_back(work_of(runs[i], out.back().time));
  }
  for (size_t i = 0; i < runs.size(); ++i)
    out[i].flat_s = work[i] / flat_share(runs, parts, work, i);
  return out;
}

}  // namespace lento::predict
