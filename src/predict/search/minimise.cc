// Minimises an objective over shares by one of three methods (minimise.h), each from several starts with its
// part of the evaluations. Starts are drawn by their index, so the result does not depend on the number of
// threads.
#include "predict/search/minimise.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace lento::predict {
namespace {

constexpr double kNoCost = std::numeric_limits<double>::infinity();
constexpr double kPerturbation = 1.5;   // the released tool perturbs a share by this factor
constexpr double kAveraging = 0.9;      // weight of the running average (beta in the paper)
constexpr double kFloor = 1e-2;         // a share that fell to zero or below restarts here
constexpr double kSmallestPart = 1e-3;  // exchanges of smaller parts of a share are not tried

void normalise(std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares)
    share /= sum;
}

// Draws whole numbers from 1 to 99 as shares and scales each class to the sum 1, as the released CrossFlow
// tool does.
Shares drawn_start(const std::vector<size_t>& sizes, uint64_t seed, uint64_t index) {
  base::Rng rng(seed, "predict.search.start", index);
  Shares shares;
  for (const size_t size : sizes) {
    std::vector<double>& part = shares.emplace_back(size);
    for (double& share : part)
      share = 1.0 + double(rng.below(99));
    normalise(part);
  }
  return shares;
}

// Evaluates the objective, counts the evaluations and keeps the shares with the lowest value.
class Run {
 public:
  Run(const Objective& objective, uint64_t budget, const base::Progress& progress)
      : objective_(objective),
        budget_(budget),
        progress_(progress) {
  }

  double operator()(const Shares& shares) {
    ++minimum_.evaluations;
    const double value = objective_(shares);
    if (minimum_.at.empty() || value < minimum_.value) {
      minimum_.at = shares;
      minimum_.value = value;
    }
    return value;
  }
  bool spent() const {
    return minimum_.evaluations >= budget_ || progress_.stopped();
  }
  uint64_t left() const {
    return budget_ - std::min(budget_, minimum_.evaluations);
  }
  const Minimum& minimum() const {
    return minimum_;
  }

 private:
  const Objective& objective_;
  uint64_t budget_;
  const base::Progress& progress_;
  Minimum minimum_;
};

// Minimises by gradient descent with a running average of the shares (Soe in minimise.h).
void soe(Run& run, Shares at, int steps) {
  Shares average = at;
  for (auto& part : average)
    std::ranges::fill(part, 0.0);
  for (int step = 0; step < steps && !run.spent(); ++step) {
    const double here = run(at);
    Shares gradient = at;
    for (size_t c = 0; c < at.size(); ++c) {
      for (size_t i = 0; i < at[c].size(); ++i) {
        Shares tried = at;
        tried[c][i] *= kPerturbation;
        const double there = run(tried);
        const double rise = std::isinf(here) && std::isinf(there) ? 0 : there - here;
        gradient[c][i] = rise / ((kPerturbation - 1) * at[c][i]);
        if (!std::isfinite(gradient[c][i]))
          gradient[c][i] = there < here ? -1 : 1;
      }
    }
    for (size_t c = 0; c < at.size(); ++c) {
      double norm = 0;
      for (const double g : gradient[c])
        norm += g * g;
      norm = std::sqrt(norm);
      for (size_t i = 0; i < at[c].size(); ++i) {
        if (norm > 0)
          at[c][i] -= gradient[c][i] / norm;
        if (at[c][i] <= 0)
          at[c][i] = kFloor;
      }
      normalise(at[c]);
      for (size_t i = 0; i < at[c].size(); ++i)
        at[c][i] = average[c][i] = kAveraging * average[c][i] + (1 - kAveraging) * at[c][i];
      normalise(at[c]);
    }
  }
}

// A transfer of budget from the share `from` to the share `to`, in one class (area, power or perimeter) or
// in two classes with the same components. `from` or `to` may be kOthers: all other shares then change in
// proportion.
struct Exchange {
  std::vector<size_t> classes;
  size_t from;
  size_t to;
};
constexpr size_t kOthers = SIZE_MAX;

// Lists the possible moves, those in a single class first. Area without power is of little use to a
// component, and the reverse, so both are also moved together.
std::vector<Exchange> exchanges(const Shares& at) {
  std::vector<std::vector<size_t>> groups;
  for (size_t c = 0; c < at.size(); ++c)
    groups.push_back({c});
  for (size_t c = 0; c + 1 < at.size(); ++c) {
    if (at[c].size() == at[c + 1].size())
      groups.push_back({c, c + 1});
  }
  std::vector<Exchange> all;
  for (const auto& classes : groups) {
    const size_t size = at[classes.front()].size();
    for (size_t from = 0; from < size; ++from) {
      for (size_t to = 0; to < size; ++to) {
        if (to != from)
          all.push_back({classes, from, to});
      }
      if (size <= 2)
        continue;
      all.push_back({classes, from, kOthers});
      all.push_back({classes, kOthers, from});
    }
  }
  return all;
}

// Returns the shares of one class after a move. They are unchanged when the share `from` is almost 0.
std::vector<double> exchanged(std::vector<double> shares, const Exchange& move, double part) {
  const size_t one = move.from == kOthers ? move.to : move.from;
  const double source = move.from == kOthers ? 1 - shares[one] : shares[move.from];
  if (source <= 1e-6)
    return shares;
  const double amount = part * source;
  if (move.from != kOthers && move.to != kOthers) {
    shares[move.from] -= amount;
    shares[move.to] += amount;
    return shares;
  }
  const double gained = move.from == kOthers ? amount : -amount;
  const double scale = 1 - gained / (1 - shares[one]);
  for (size_t i = 0; i < shares.size(); ++i)
    shares[i] = i == one ? shares[i] + gained : shares[i] * scale;
  return shares;
}

// Evaluates one exchange and keeps it when it lowers the objective's value.
bool try_exchange(Run& run, Shares& at, double& value, const Exchange& move, double part) {
  Shares tried = at;
  for (const size_t c : move.classes)
    tried[c] = exchanged(at[c], move, part);
  if (tried == at)
    return false;
  const double there = run(tried);
  if (!(there < value))
    return false;
  at = std::move(tried);
  value = there;
  return true;
}

// Tries each exchange of budget between two components once, with step size `part`. Returns whether one of
// them lowered the value.
bool try_all(Run& run, Shares& at, double& value, const std::vector<Exchange>& moves, double part) {
  bool moved = false;
  for (const Exchange& move : moves) {
    if (!run.spent())
      moved = try_exchange(run, at, value, move, part) || moved;
  }
  return moved;
}

// Minimises by exchanges of budget between shares. Exchanges with all other shares come first, because one
// more unit often needs a little from every other component, which no exchange between two shares gives.
void exchange(Run& run, Shares at) {
  double value = run(at);
  std::vector<Exchange> wide = exchanges(at);
  const auto middle = std::stable_partition(wide.begin(), wide.end(), [](const Exchange& move) {
    return move.from == kOthers || move.to == kOthers;
  });
  const std::vector<Exchange> pairs(middle, wide.end());
  wide.erase(middle, wide.end());
  for (double part = 0.5; !run.spent() && part >= kSmallestPart;) {
    if (!try_all(run, at, value, wide, part) && !try_all(run, at, value, pairs, part))
      part /= 2;
  }
}

struct SubplexCall {
  Run* run;
  const std::vector<size_t>* sizes;
};

// Converts logarithms of shares to shares that sum to one in each class.
Shares from_logarithms(const double* x, const std::vector<size_t>& sizes) {
  Shares shares;
  for (const size_t size : sizes) {
    std::vector<double>& part = shares.emplace_back(size);
    for (double& share : part)
      share = std::exp(std::clamp(*x++, -30.0, 30.0));
    normalise(part);
  }
  return shares;
}

double subplex_value(unsigned, const double* x, double*, void* data) {
  const auto& call = *static_cast<SubplexCall*>(data);
  const double value = (*call.run)(from_logarithms(x, *call.sizes));
  return std::isfinite(value) ? value : 1e30;
}

// Minimises by NLopt's subplex method on logarithms of shares.
void subplex(Run& run, const Shares& start, const std::vector<size_t>& sizes) {
  std::vector<double> x;
  for (const auto& part : start) {
    for (const double share : part)
      x.push_back(std::log(std::max(share, 1e-9)));
  }
  nlopt_opt solver = nlopt_create(NLOPT_LN_SBPLX, unsigned(x.size()));
  SubplexCall call{&run, &sizes};
  nlopt_set_min_objective(solver, subplex_value, &call);
  nlopt_set_maxeval(solver, int(std::min<uint64_t>(run.left(), 1u << 30)));
  nlopt_set_ftol_rel(solver, 1e-6);
  nlopt_set_initial_step1(solver, 0.7);
  double value = 0;
  nlopt_optimize(solver, x.data(), &value);  // `run` holds the best point however the solver ended
  nlopt_destroy(solver);
}

}  // namespace

// Runs one start of the method in `options` with its part of the evaluations.
Minimum minimise_start(
    const Objective& objective,
    const std::vector<size_t>& sizes,
    const MinimiseOptions& options,
    int index) {
  const size_t parameters = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  const uint64_t starts = uint64_t(std::max(1, options.starts));
  const uint64_t budget =
      options.max_evaluations ? options.max_evaluations : (1 + parameters) * uint64_t(options.steps) * starts;
  Run run(objective, budget / starts, options.progress);
  const Shares start = index == 0 && !options.first.empty()
                           ? options.first
                           : drawn_start(sizes, options.seed, uint64_t(index));
  switch (options.method) {
    case Method::Soe:
      soe(run, start, options.steps);
      break;
    case Method::Exchange:
      exchange(run, start);
      break;
    case Method::Subplex:
      subplex(run, start, sizes);
      break;
  }
  return run.minimum();
}

// Runs all starts of the search in parallel and returns the lowest value found.
Minimum
minimise(const Objective& objective, const std::vector<size_t>& sizes, const MinimiseOptions& options) {
  std::vector<Minimum> found(size_t(std::max(1, options.starts)));
  base::parallel_for(found.size(), options.threads, [&](size_t i) {
    found[i] = minimise_start(objective, sizes, options, int(i));
  });
  Minimum best{{}, kNoCost, 0};
  for (const Minimum& m : found) {
    best.evaluations += m.evaluations;
    if (m.at.empty() || !(m.value < best.value || best.at.empty()))
      continue;
    best.at = m.at;
    best.value = m.value;
  }
  return best;
}

Method method_of(const std::string& name) {
  if (name == "soe")
    return Method::Soe;
  if (name == "exchange")
    return Method::Exchange;
  if (name == "subplex")
    return Method::Subplex;
  throw base::Error(
      {},
      "'" + name + "' is no search method",
      base::suggestion(name, {"exchange", "soe", "subplex"}));
}

std::string name_of(Method method) {
  switch (method) {
    case Method::Soe:
      return "soe";
    case Method::Exchange:
      return "exchange";
    case Method::Subplex:
      return "subplex";
  }
  return "";
}

}  // namespace lento::predict
