// A stretch begins anew wherever the sum so far is no help.
#include "evidence/stretch.h"

namespace lento::evidence {

Stretch largest_stretch(std::span<const double> values) {
  Stretch best;
  double sum = 0;
  size_t first = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (sum <= 0) {
      sum = 0;
      first = i;
    }
    sum += values[i];
    if (sum > best.sum)
      best = {first, i + 1, sum};
  }
  return best;
}

}  // namespace lento::evidence
