// Compares hypotheses that are too close for the closed form by simulation. Each is a component slow by a
// factor for a while. The one whose simulated run is most like the recorded one wins.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "chip/detect/expected.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// A component slow, what the chip would have recorded then, and how much more that is like the recorded run
// than what was expected before (log-likelihood ratio).
struct Hypothesis {
  Suspect suspect;
  std::vector<Baseline> baselines;
  double gain = 0;
  double rival_gain = 0;  // of the winner: what the next best gained
  // The same over the transfers that pass through its component, of the winner: what the contest makes of
  // other transfers can be far off where all are slow together. Of a further component over all of them.
  double own_gain = 0;
  double own_misfit = 0;  // what it leaves over of the recorded run
  Chance own_chance;      // what runs without a fault leave over there and then
};

// Returns whether it leaves no more unexplained than a healthy run does, and less than it explains. Where
// healthy runs are far from one another, a hypothesis that explained 60 of 200 named a healthy part.
bool explains(const Hypothesis& h);

// Precondition: what it is given outlives it.
class Contest {
 public:
  // `before`: the recorded run and the expectation so far. `given`: the components that the expectation
  // holds. `in_any_case`: components that are tried even when the simulation contradicts all stronger ones.
  Contest(
      const ScanInput& before,
      const std::vector<Suspect>& given,
      Expected& expected,
      std::vector<Component> in_any_case = {})
      : before_(before),
        given_(given),
        expected_(expected),
        in_any_case_(std::move(in_any_case)) {
  }

  // Returns the winner, among equals the first. Its baselines are empty when no replay was left. A gain below
  // zero means that the simulation contradicts the strongest, and nothing was sharpened.
  //
  // Each hypothesis is replayed up to twice again with the factor that its last replay suggests. While no
  // winner stands out, the three best are sharpened in turn by small changes of factor and begin, because a
  // slow run that begins elsewhere is out of step with the recorded one ever after. A winner of a few bins is
  // always sharpened. Where simulations are too long, all are tried on the first part of their intervals with
  // the factor of the leader. The best ones there are then replayed over the whole.
  Hypothesis best_of(std::vector<Suspect> close);

  // Returns the most that the found components gain in the compared scope when their factor, begin and end
  // are moved a little. What that explains needs no further component. Call it after best_of().
  double gain_of_given();

 private:
  struct Entrant {
    Hypothesis hypothesis;
    int change = 0;       // the next way to sharpen it
    bool helped = false;  // it did at least once
  };
  // Factors of a hypothesis that were too little and too much.
  struct Bracket {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
  };
  // Scope in which hypotheses are compared: a time, and the transfers that pass through any of them.
  // Elsewhere a slow run is a healthy one shifted in time, which does not indicate where it is slow.
  struct Scope {
    // cycles
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    std::vector<size_t> rows;
  };

  Hypothesis sharpened(const std::vector<Suspect>& close);
  std::vector<size_t> hearing_order(const std::vector<Suspect>& close, bool in_part) const;
  std::vector<Entrant> heard(const std::vector<Suspect>& close);
  std::vector<Entrant> finalists(std::vector<Entrant> all);
  void judge_by_its_own(Hypothesis& h) const;
  bool unheard(const Suspect& s, size_t heard, bool gains) const;
  void set_scope(const std::vector<Suspect>& close);
  uint64_t first_part(const std::vector<Suspect>& close) const;
  Hypothesis replayed(const Suspect& suspect);
  double gain_of(const std::vector<Baseline>& baselines) const;  // where hypotheses are compared
  bool correct(Hypothesis& h, Bracket& bracket);
  bool sharpen(Entrant& entrant);
  bool sharpen_doubts(std::vector<Entrant>& all, size_t best);
  // Changes 1 and 2, 3 and 4 are one way and the other.
  static constexpr int kChanges = 5;  // as changed() knows
  Suspect changed(Suspect suspect, int change) const;

  const ScanInput& before_;
  const std::vector<Suspect>& given_;
  Expected& expected_;
  const std::vector<Component> in_any_case_;
  Scope scope_;
  uint64_t until_ = UINT64_MAX;  // cycles: what is simulated and compared at present
};

}  // namespace lento::chip
