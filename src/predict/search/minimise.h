// Minimises a black box over shares: several classes of non-negative shares that sum to one each (area,
// power, perimeter of a chip).
//
// Three methods, compared at equal numbers of evaluations (`lento search --compare`):
//   Soe       projected gradient descent with exponential averaging in parameter space, as printed (paper
//             section 7, equation 6, with step sizes and starts from the released tool)
//   Exchange  moves a part of one share to another of its class, or between one and all others, keeps
//             improvements, and halves the part when there are none. The objective is full of plateaus (whole
//             banks, whole units), where gradients vanish but exchanges still find the next step
//   Subplex   NLopt's LN_SBPLX on logarithms of shares
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"

namespace lento::predict {

using Shares = std::vector<std::vector<double>>;  // [class][component]

// Returns a finite value, or +infinity for shares that cannot work.
using Objective = std::function<double(const Shares&)>;

enum class Method {
  Soe,
  Exchange,
  Subplex
};

struct MinimiseOptions {
  Method method = Method::Exchange;
  int steps = 100;               // T of the paper: gradient steps a start
  int starts = 10;               // S
  uint64_t max_evaluations = 0;  // 0: what Soe would take, (1 + parameters) * steps * starts
  uint64_t seed = 1;
  unsigned threads = 1;
  Shares first;  // start of the first run; others are drawn. Empty: all drawn
  base::Progress progress;
};

struct Minimum {
  Shares at;
  double value = 0;
  uint64_t evaluations = 0;
};

// Minimises over `sizes` components of each class. The result is the same for any number of threads.
Minimum
minimise(const Objective& objective, const std::vector<size_t>& sizes, const MinimiseOptions& options);

// Runs the `start`-th of options.starts alone, with its part of the evaluations.
Minimum minimise_start(
    const Objective& objective,
    const std::vector<size_t>& sizes,
    const MinimiseOptions& options,
    int start);

// Parses "soe", "exchange" or "subplex". Throws base::Error for other names.
Method method_of(const std::string& name);
std::string name_of(Method method);

}  // namespace lento::predict
