// Hypotheses too close to tell apart by the closed form are replayed against one another: each is a component
// slow by a factor for a while, and the one whose simulated run looks most like the recorded one wins.
#pragma once

#include <vector>

#include "chip/detect/expected.h"
#include "chip/detect/scan.h"
#include "chip/detect/search.h"

namespace lento::chip {

// A component slow, what the chip would have recorded then, and how much more that is like the recorded run
// than what was expected before (log-likelihood ratio).
struct Hypothesis {
  Suspect suspect;
  std::vector<Baseline> baselines;
  double gain = 0;
};

// Precondition: what it is given outlives it.
class Contest {
 public:
  // `before`: the recorded run and what was expected so far; `given`: the components that this already holds.
  Contest(const ScanInput& before, const std::vector<Suspect>& given, Expected& expected)
      : before_(before),
        given_(given),
        expected_(expected) {
  }

  // The winner; of equals the first. Its baselines are empty when no replay was left.
  // Each is replayed as the scan saw it and corrected twice by the factor that its last replay suggests. Then
  // whoever could still win is moved to where it is best (search.h), and simulated in several draws.
  Hypothesis best_of(std::vector<Suspect> close);

 private:
  struct Entrant {
    Hypothesis hypothesis;
    Search search;
    bool corrected = false;  // its factor, since it was moved last
    bool settled = false;    // it is as good as it gets, in several draws
    // The most that it may come to gain: what the closed form promises, until it is settled.
    double promise() const;
    double outlook() const;  // half way there
  };
  static size_t leader(const std::vector<Entrant>& all);
  Entrant* contender(std::vector<Entrant>& all, size_t best) const;
  void set_scope(const std::vector<Suspect>& close);
  Hypothesis replayed(const Suspect& suspect);
  double gain_of(const std::vector<Baseline>& baselines) const;
  Hypothesis ended(const Suspect& suspect);
  size_t best_end(const Hypothesis& h) const;
  double slow_share(const std::vector<Baseline>& slow, size_t bin) const;
  Hypothesis corrected(const Suspect& suspect);
  bool correct(Hypothesis& h, int most);
  void improve(Entrant& entrant);
  void settle(Entrant& entrant);

  const ScanInput& before_;
  const std::vector<Suspect>& given_;
  Expected& expected_;
  Scope scope_;
};

}  // namespace lento::chip
