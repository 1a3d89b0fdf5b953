// One class of components that is slow by a factor, and its evidence in the recorded waits.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/fabric/ends.h"
#include "chip/fabric/tuning.h"

namespace lento::chip {

// The effect of a slow component.
enum class Effect : uint8_t {
  Holds,  // each of its transfers takes `factor` times its modelled time, and other traffic is unchanged
  Serves  // its rate is lower, and the effect on all traffic is simulated
};

struct Hypothesis {
  Effect effect = Effect::Holds;
  double factor = 1;
  SlowSpread slow = kBroadSpread;  // with Holds: spread of the ends that the component caused
  double evidence = 0;             // log-likelihood above that of a healthy fabric, for the same waits
  double support = 0;              // sum of the evidence over the parts of the records that were tried
  bool supported = false;
  uint32_t waits = 0;  // waits that include its transfers; with Serves, waits that it changes
  EndsFit fit;
  std::vector<uint32_t> stream;  // by compared wait
  std::vector<double> bound;     // with Holds: argument of Ends::fit
  std::vector<double> tails;     // with Serves: log of modelled over healthy tail, by compared wait
};

inline bool is_sharp(const Hypothesis& h) {
  return h.effect == Effect::Holds && h.slow.first < kBroadSpread.first;
}

// Returns whether the evidence of `a` is at most kMargin (log-likelihood) below that of `b`, so that the
// records hardly prefer `b`.
inline bool nearly_equal(const Hypothesis& a, const Hypothesis& b) {
  return a.evidence > b.evidence - kMargin;
}

// Returns the indexes of the hypotheses with evidence above 0, the most evidence first.
std::vector<size_t> by_evidence(const std::vector<Hypothesis>& all);

}  // namespace lento::chip
