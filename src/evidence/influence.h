// A finding must not hang on one record, second or subject: it is judged again without the one that speaks
// most for it. Where it does not survive, the outcome is "cannot judge" and the unit is named.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace lento::evidence {

struct Influence {
  size_t unit = 0;        // carries most of the score, 0 when there are no units
  double share = 0;       // of the score, that goes with it
  double score_left = 0;  // without it
  bool survives = false;  // the score left still exceeds the threshold
};

// The score is the sum of its contributions (log-likelihood ratios, excess seconds).
Influence influence(std::span<const double> contributions, double threshold);

// Any score: `score_without(u)` is computed for each of `units` units, `score` is the one with all.
Influence
influence(double score, size_t units, const std::function<double(size_t)>& score_without, double threshold);

}  // namespace lento::evidence
