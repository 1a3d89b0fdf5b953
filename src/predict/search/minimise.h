// Minimises a black-box function of shares. Shares come in classes (area, power and perimeter of a chip).
// The shares of a class are not negative and sum to one.
//
// Three methods, compared at equal numbers of evaluations (`lento search --compare`):
//   Soe       projected gradient descent with exponential averaging in parameter space, as printed (CrossFlow
//             section 7, equation 6, with step sizes and starts from the released CrossFlow tool)
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

// Returns a finite value, or +infinity for shares that give no working machine.
using Objective = std::function<double(const Shares&)>;

enum class Method {
  Soe,
  Exchange,
  Subplex
};

struct MinimiseOptions {
  Method method = Method::Exchange;
  int steps = 100;               // gradient steps of each start (T in the paper)
  int starts = 10;               // number of starting points (S in the paper)
  uint64_t max_evaluations = 0;  // 0: as many as Soe takes, (1 + parameters) * steps * starts
  uint64_t seed = 1;
  unsigned threads = 1;
  Shares first;  // first starting point; the others are drawn. Empty: all are drawn
  base::Progress progress;
};

struct Minimum {
  Shares at;
  double value = 0;
  uint64_t evaluations = 0;
};

// Minimises over classes with `sizes` components each. The result does not depend on the number of threads.
Minimum
minimise(const Objective& objective, const std::vector<size_t>& sizes, const MinimiseOptions& options);

// Runs start number `start` of options.starts alone, with its part of the evaluations.
Minimum minimise_start(
    const Objective& objective,
    const std::vector<size_t>& sizes,
    const MinimiseOptions& options,
    int start);

// Parses "soe", "exchange" or "subplex". Throws base::Error for other names.
Method method_of(const std::string& name);
std::string name_of(Method method);

}  // namespace lento::predict
