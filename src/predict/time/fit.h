// Minimises a function of a few positive parameters without derivatives, in the logarithm of each parameter.
// The result is deterministic.
#pragma once

#include <functional>
#include <vector>

namespace lento::predict {

struct FitOptions {
  int evaluations = 600;  // of each start
  int restarts = 2;       // from the best point so far, with a smaller step
  double spread = 0.35;   // first step in the logarithm
};

// Returns the best point found, which is never worse than `start`. All values of `start` must be positive.
std::vector<double> minimise(
    const std::function<double(const std::vector<double>&)>& loss,
    std::vector<double> start,
    const FitOptions& options = {});

}  // namespace lento::predict
