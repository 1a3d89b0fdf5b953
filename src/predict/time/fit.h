// Minimising a function of a few positive parameters without derivatives (Nelder and Mead 1965), in the
// logarithm of each parameter. Deterministic.
#pragma once

#include <functional>
#include <vector>

namespace lento::predict {

struct FitOptions {
  int evaluations = 600;
  int restarts = 2;      // each from the best point so far with a smaller simplex
  double spread = 0.35;  // first step in the logarithm
};

// The best point found; `start` must be positive. Never worse than `start`.
std::vector<double> minimise(
    const std::function<double(const std::vector<double>&)>& loss,
    std::vector<double> start,
    const FitOptions& options = {});

}  // namespace lento::predict
