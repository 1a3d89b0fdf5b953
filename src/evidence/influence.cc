// Leaving one out (Cook 1977 for regression, here for any score): the least score that is left decides.
#include "evidence/influence.h"

#include <cmath>

namespace lento::evidence {

Influence influence(std::span<const double> contributions, double threshold) {
  double score = 0;
  for (const double c : contributions)
    score += c;
  return influence(
      score,
      contributions.size(),
      [&](size_t u) {
        return score - contributions[u];
      },
      threshold);
}

Influence
influence(double score, size_t units, const std::function<double(size_t)>& score_without, double threshold) {
  Influence out;
  for (size_t u = 0; u < units; ++u) {
    const double left = score_without(u);
    if (u > 0 && !(left < out.score_left))
      continue;
    out.unit = u;
    out.score_left = left;
  }
  // With one unit nothing is left, whatever its score without itself is.
  out.survives = units > 1 && out.score_left > threshold;
  out.share = score > 0 && units > 0 ? (score - out.score_left) / score : 0;
  return out;
}

}  // namespace lento::evidence
