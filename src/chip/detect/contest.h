// Compares hypotheses that are too close for the closed form by simulation. Each is a component slow by a
// factor for a while. The one whose simulated run is most like the recorded one wins.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "chip/detect/expected.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// A slow component, the levels that the chip would have recorded with it, and by how much they raise the
// log-likelihood of the recorded run over that of the levels expected before.
struct Hypothesis {
  Suspect suspect;
  std::vector<Baseline> baselines;
  double gain = 0;
  double rival_gain = 0;  // for the winner only: gain of the next best
  // For the winner only: gain over the transfers through its component, because the simulation of other
  // transfers can be far off where all are slow together. For a further component: over all transfers.
  double own_gain = 0;
  double own_misfit = 0;  // misfit of the recorded run over the same transfers
  Chance own_chance;      // misfits of healthy runs over the same transfers and time
};

// Returns whether the remaining misfit is at most that of a healthy run, and at most the gain. Where healthy
// runs differ much from one another, a hypothesis that explained 60 of 200 named a healthy part.
bool explains(const Hypothesis& h);

// Precondition: the arguments outlive the contest.
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

  // Returns the winner, among equals the first. Its baselines are empty when no simulation was left. A gain
  // below zero means that the simulation contradicts the strongest, and none was refined.
  //
  // Each hypothesis is simulated up to twice again with the factor that its last simulation suggests. While
  // no winner is clear, the three best are refined in turn by small changes of factor and begin, because a
  // slow run that begins at another time stays out of step with the recorded one. A winner of a few bins is
  // always refined. Where simulations are too long, all are compared on the first part of their intervals
  // with the factor of the leader. The best ones are then simulated over their whole intervals.
  Hypothesis best_of(std::vector<Suspect> close);

  // Returns the largest gain, over the scope below, of small changes to factor, begin and end of the found
  // components. A further component must gain more. Call it after best_of().
  double gain_of_given();

 private:
  struct Entrant {
    Hypothesis hypothesis;
    int change = 0;       // the next change to try, see changed()
    bool helped = false;  // it raised the gain
  };
  // Factors of a hypothesis that were too little and too much.
  struct Bracket {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
  };
  // Scope in which hypotheses are compared: the span of their intervals, and the transfers that pass through
  // any of them. Other transfers of a slow run are only shifted in time and do not show where it is slow.
  struct Scope {
    // cycles
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    std::vector<size_t> rows;
  };

  Hypothesis sharpened(const std::vector<Suspect>& close);
  std::vector<size_t> order_of_trial(const std::vector<Suspect>& close, bool in_part) const;
  std::vector<Entrant> tried(const std::vector<Suspect>& close);
  std::vector<Entrant> finalists(std::vector<Entrant> all);
  void judge_by_its_own(Hypothesis& h) const;
  bool is_not_worthwhile(const Suspect& s, size_t count, bool gains) const;
  void set_scope(const std::vector<Suspect>& close);
  uint64_t first_part(const std::vector<Suspect>& close) const;
  Hypothesis replayed(const Suspect& suspect);
  double gain_of(const std::vector<Baseline>& baselines) const;  // where hypotheses are compared
  bool correct(Hypothesis& h, Bracket& bracket);
  bool sharpen(Entrant& entrant);
  bool sharpen_doubts(std::vector<Entrant>& all, size_t best);
  // Changes 1 and 2 are opposite, and so are 3 and 4.
  static constexpr int kChanges = 5;  // number of changes that changed() makes
  Suspect changed(Suspect suspect, int change) const;

  const ScanInput& before_;
  const std::vector<Suspect>& given_;
  Expected& expected_;
  const std::vector<Component> in_any_case_;
  Scope scope_;
  uint64_t until_ = UINT64_MAX;  // cycle up to which hypotheses are simulated and compared at present
};

}  // namespace lento::chip
