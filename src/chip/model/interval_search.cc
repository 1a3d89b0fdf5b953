// Each round simulates all parts together, and again with each part slightly slower, begun later and ended
// later. The differences are the columns of a weighted least-squares step, with all nuisances projected out
// (Gauss, Newton). All runs use the same seeds, so that two runs differ only by their parts. Rounds end when
// the steps of all factors are below half of their standard deviations, at the latest after kMostSteps. When
// the rounds end by small steps, the last two estimates are averaged.
#include "chip/model/interval_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "evidence/distribution.h"
#include "evidence/normal_factor.h"

namespace lento::chip {
namespace {

constexpr int kMostSteps = 5;
constexpr double kSlower = 0.25;      // step of a log factor in the second simulation of a part
constexpr double kMovedShare = 0.05;  // step of an edge of the interval, as a share of the interval
constexpr double kLeastStep = 0.02;   // of a log factor

// The quantity of a slow part that is estimated.
enum class Unknown : uint8_t {
  Factor,
  Begin,
  End
};
struct Parameter {
  size_t part = 0;
  Unknown unknown = Unknown::Factor;
  double unit = 1;  // size of the step that gives its numerical derivative
};

std::vector<Parameter> parameters_of(const std::vector<SlowPart>& parts, double run_cycles) {
  std::vector<Parameter> out;
  for (size_t k = 0; k < parts.size(); ++k) {
    const SlowPart& p = parts[k];
    const double length = (p.end == kForever ? run_cycles : double(p.end)) - double(p.begin);
    const double moved = std::max(1.0, kMovedShare * length);
    out.push_back({k, Unknown::Factor, kSlower});
    if (double(p.begin) > moved)
      out.push_back({k, Unknown::Begin, moved});
    if (p.end != kForever)
      out.push_back({k, Unknown::End, moved});
  }
  return out;
}

void move(SlowPart& part, Unknown unknown, double by) {
  const auto moved = [by](uint64_t t, double least) {
    return uint64_t(std::max(least, double(t) + by));
  };
  switch (unknown) {
    case Unknown::Factor:
      part.log_factor = std::clamp(part.log_factor + by, kLeastStep, kMostLogFactor);
      break;
    case Unknown::Begin:
      part.begin = std::min(moved(part.begin, 0), part.end - 1);
      break;
    case Unknown::End:
      part.end = moved(part.end, double(part.begin) + 1);
      break;
  }
}

class IntervalSearch {
 public:
  explicit IntervalSearch(const ObservedRun& run)
      : setup_(run.setup),
        likelihood_(run.likelihood),
        twin_{run.chip, run.setup.own},
        grid_(run.chip) {
  }

  FactorFit fit(std::vector<SlowPart> parts, bool measured) {
    constexpr double kMostUnits = 4;  // largest change of a parameter in one round, in steps
    constexpr double kNoise = 10;     // of the log-likelihood, between two simulations
    const auto parameters = parameters_of(parts, likelihood_.dictionary().run_cycles);
    FactorFit best;
    for (int round = 0; round < kMostSteps; ++round) {
      FactorFit tried = played(parts);
      const Steps steps = steps_from(tried, parameters);
      bool small = true;
      for (size_t k = 0; k < parameters.size(); ++k) {
        const auto& [part, unknown, unit] = parameters[k];
        const double step = std::clamp(steps.step[k], -kMostUnits, kMostUnits);
        move(parts[part], unknown, step * unit);
        if (unknown != Unknown::Factor)
          continue;
        tried.deviation.push_back(unit * steps.deviation[k]);
        small = small && std::abs(step) * unit < std::max(kLeastStep, tried.deviation.back() / 2);
      }
      tried.parts = parts;
      if (round > 0 && tried.solution.log_likelihood < best.solution.log_likelihood - kNoise)
        continue;
      const bool second = small && round > 0;
      if (second)
        average(best, tried);
      best = std::move(tried);
      if (second)
        break;
    }
    if (measured)
      measure(best, parameters);
    best.simulated = simulated_;
    return best;
  }

 private:
  struct Steps {  // in steps of each parameter
    std::vector<double> step;
    std::vector<double> deviation;
  };

  // The linear system of the last round, from which measure() takes one more step.
  struct Linear {
    evidence::Matrix weighted;  // one row for each parameter: its column, nuisances projected out, times the
                                // weights of the rows
    evidence::NormalFactor information;
    std::vector<double> residual;
    std::vector<float> expected;  // by cell
  };

  // Replaces `last` by the mean of both estimates. Half of their difference is added to the standard
  // deviation, because it shows how much simulations vary.
  static void average(const FactorFit& before, FactorFit& last) {
    for (size_t k = 0; k < last.parts.size(); ++k) {
      const double half = (last.parts[k].log_factor - before.parts[k].log_factor) / 2;
      last.parts[k].log_factor -= half;
      last.deviation[k] = std::hypot(last.deviation[k], half);
    }
  }

  std::vector<Fault> faults_of(const std::vector<SlowPart>& parts) const {
    std::vector<Fault> out;
    for (const SlowPart& p : parts)
      out.push_back(played_fault(p, grid_));
    return out;
  }

  SimulatedShift shift(const std::vector<SlowPart>& parts) {
    simulated_ += int(kShiftSeeds);
    return simulated_shift(likelihood_.dictionary(), setup_, twin_, faults_of(parts));
  }

  FactorFit played(const std::vector<SlowPart>& parts) {
    FactorFit out;
    out.parts = parts;
    SimulatedShift shifted = shift(parts);
    likelihood_.expect(shifted.mean, shifted.noise);
    now_ = std::move(shifted);
    out.solution = likelihood_.fit();
    return out;
  }

  // Returns the Newton step and standard deviation of each parameter, with the nuisances projected out
  // (Frisch, Waugh, Lovell).
  Steps steps_from(const FactorFit& at, const std::vector<Parameter>& parameters) {
    const size_t count = parameters.size();
    const Solution& s = at.solution;
    const evidence::NormalFactor nuisances(likelihood_.normal(s));
    evidence::Matrix columns(count, likelihood_.rows());
    evidence::Matrix taken(count, likelihood_.columns());
    std::vector<double> score(count);
    for (size_t k = 0; k < count; ++k) {
      std::vector<SlowPart> moved = at.parts;
      move(moved[parameters[k].part], parameters[k].unknown, parameters[k].unit);
      const SimulatedShift shifted = shift(moved);
      for (size_t r = 0; r < likelihood_.rows(); ++r) {
        const size_t cell = likelihood_.cell(r);
        const double change = double(shifted.mean[cell]) - now_.mean[cell];
        columns(k, r) = change;
        score[k] += s.weight[r] * crossed(shifted, cell, s.residual[r]);
        if (change != 0)
          for (const Likelihood::Entry& e : likelihood_.row(r))
            taken(k, e.column) += s.weight[r] * change * e.value;
      }
    }
    evidence::Matrix left = columns;  // what remains of each column after the projection
    for (size_t k = 0; k < count; ++k) {
      const std::vector<double> share = nuisances.solve(taken.row(k));
      for (size_t r = 0; r < likelihood_.rows(); ++r)
        for (const Likelihood::Entry& e : likelihood_.row(r))
          left(k, r) -= e.value * share[e.column];
    }
    nuisances.whiten(taken);
    const evidence::NormalFactor factor(information(s, columns, taken));
    Steps out;
    out.step = factor.solve(score);
    out.deviation = factor.variances();
    for (double& d : out.deviation)
      d = std::sqrt(d);
    for (size_t k = 0; k < count; ++k)
      for (size_t r = 0; r < likelihood_.rows(); ++r)
        left(k, r) *= s.weight[r];
    linear_ = {std::move(left), factor, s.residual, now_.mean};
    return out;
  }

  // Takes one more step with the mean of further draws. The spread of the single draws' steps gives the
  // standard deviation of one run, because delays in a queue are not independent between records.
  void measure(FactorFit& fit, const std::vector<Parameter>& parameters) {
    constexpr uint32_t kDraws = 8;
    constexpr uint64_t kFirstSeed = 100;
    const Dictionary& d = likelihood_.dictionary();
    std::vector<std::vector<double>> draws;
    std::vector<double> mean(likelihood_.rows());
    for (uint32_t draw = 0; draw < kDraws; ++draw) {
      const auto records = simulated_records(setup_, twin_, faults_of(fit.parts), kFirstSeed + draw);
      const CellSums sums = sums_of(d, records);
      std::vector<double>& of = draws.emplace_back();
      for (size_t r = 0; r < likelihood_.rows(); ++r) {
        const size_t cell = likelihood_.cell(r);
        of.push_back(sums.log_ratio[cell] - d.cells[cell].center);
        mean[r] += of.back() / kDraws;
      }
    }
    simulated_ += int(kDraws);
    const auto step_of = [&](const std::function<double(size_t)>& residual) {
      std::vector<double> score(parameters.size());
      for (size_t k = 0; k < score.size(); ++k)
        for (size_t r = 0; r < likelihood_.rows(); ++r)
          score[k] += linear_->weighted(k, r) * residual(r);
      return linear_->information.solve(score);
    };
    const std::vector<double> last = step_of([&](size_t r) {
      return linear_->residual[r] + linear_->expected[likelihood_.cell(r)] - mean[r];
    });
    std::vector<double> squares(parameters.size());
    for (const std::vector<double>& of : draws) {
      const std::vector<double> step = step_of([&](size_t r) {
        return of[r] - mean[r];
      });
      for (size_t k = 0; k < step.size(); ++k)
        squares[k] += step[k] * step[k];
    }
    // Scaled so that the normal quantile of a 90 % interval becomes that of Student's t with so many draws.
    const double wider = evidence::student_quantile(0.95, kDraws - 1) / evidence::normal_quantile(0.95);
    for (size_t k = 0; k < parameters.size(); ++k) {
      const auto& [part, unknown, unit] = parameters[k];
      if (unknown != Unknown::Factor)
        continue;
      const double spread = unit * std::sqrt(squares[k] / (kDraws - 1) * (1 + 1.0 / kDraws));
      fit.deviation[part] = std::max(fit.deviation[part], wider * spread);
      move(fit.parts[part], unknown, std::clamp(last[k] * unit, -2 * spread, 2 * spread));
    }
  }

  // Returns the product of two logs of a cell's durations, averaged over seeds: their change between the
  // present parts and the moved ones, and the residual of the judged run. Both contain the noise of the
  // simulation, so the residual under one seed is multiplied only by changes under other seeds.
  double crossed(const SimulatedShift& moved, size_t cell, double residual) const {
    double sum = 0;
    for (uint32_t seed = 0; seed < kShiftSeeds; ++seed) {
      double change = 0;
      for (uint32_t other = 0; other < kShiftSeeds; ++other)
        if (other != seed)
          change += (double(moved.by_seed[other][cell]) - now_.by_seed[other][cell]) / (kShiftSeeds - 1);
      sum += change * (residual + now_.mean[cell] - now_.by_seed[seed][cell]) / kShiftSeeds;
    }
    return sum;
  }

  // Returns the information matrix of the columns with the nuisances projected out. `taken` holds by column
  // what they take, whitened. A small share of each diagonal element is added, so that two parts with the
  // same records have a unique solution.
  evidence::Matrix
  information(const Solution& s, const evidence::Matrix& columns, const evidence::Matrix& taken) const {
    constexpr double kStays = 1e-6;
    constexpr double kPrior = 1e-4;  // prior that keeps a part without records at its start value
    evidence::Matrix out(columns.rows, columns.rows);
    for (size_t a = 0; a < columns.rows; ++a)
      for (size_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (size_t r = 0; r < likelihood_.rows(); ++r)
          sum += s.weight[r] * columns(a, r) * columns(b, r);
        if (a == b)
          sum += kStays * sum + kPrior;
        for (size_t k = 0; k < taken.columns; ++k)
          sum -= taken(a, k) * taken(b, k);
        out(a, b) = sum;
      }
    return out;
  }

  const LearnSetup& setup_;
  Likelihood likelihood_;
  const Twin twin_;
  const Grid grid_;
  std::optional<Linear> linear_;
  SimulatedShift now_;  // shift of the parts in the last simulation
  int simulated_ = 0;
};

}  // namespace

FactorFit fit_intervals(const ObservedRun& run, std::vector<SlowPart> parts, bool measured) {
  return IntervalSearch(run).fit(std::move(parts), measured);
}

}  // namespace lento::chip
