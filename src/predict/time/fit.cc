// NLopt's subplex method (Rowan 1990: Nelder and Mead's simplex on subspaces in turn) on logarithms,
// restarted from its best point with a smaller first step.
#include "predict/time/fit.h"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lento::predict {
namespace {

using Point = std::vector<double>;

struct Search {
  const std::function<double(const Point&)>& loss;
  Point best;  // values, not their logarithms
  double least = std::numeric_limits<double>::infinity();
};

// Evaluates the loss at these logarithms of the parameters and keeps the best parameters, which are then
// valid however the solver ends.
double loss_at(unsigned n, const double* x, double*, void* data) {
  auto& search = *static_cast<Search*>(data);
  Point values(x, x + n);
  for (double& v : values)
    v = std::exp(v);
  const double loss = search.loss(values);
  if (loss < search.least) {
    search.least = loss;
    search.best = std::move(values);
  }
  return std::isfinite(loss) ? loss : std::numeric_limits<double>::max();
}

}  // namespace

std::vector<double> minimise(
    const std::function<double(const std::vector<double>&)>& loss,
    std::vector<double> start,
    const FitOptions& options) {
  Search search{loss, std::move(start)};
  double spread = options.spread;
  for (int r = 0; r <= options.restarts; ++r, spread *= -0.6) {
    Point x = search.best;
    for (double& v : x)
      v = std::log(v);
    nlopt_opt solver = nlopt_create(NLOPT_LN_SBPLX, unsigned(x.size()));
    nlopt_set_min_objective(solver, loss_at, &search);
    nlopt_set_maxeval(solver, options.evaluations);
    nlopt_set_initial_step1(solver, spread);
    double value = 0;
    nlopt_optimize(solver, x.data(), &value);
    nlopt_destroy(solver);
  }
  return search.best;
}

}  // namespace lento::predict
