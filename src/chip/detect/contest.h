// Decides by simulation between hypotheses (a component that is slow by a factor between two times) whose
// likelihood ratios in the scan are close. The hypothesis whose simulation raises the likelihood of the
// recorded run most wins.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "chip/detect/expected.h"
#include "chip/detect/scan.h"

namespace lento::chip {

// A slow component, the levels of a simulation with it, and by how much they raise the log-likelihood of the
// recorded run (`gain`, a difference of Expected::misfit()) over the levels expected before.
struct Hypothesis {
  Suspect suspect;
  std::vector<Baseline> baselines;
  double gain = 0;
  double rival_gain = 0;  // for the winner only: gain of the next best
  // For the winner only: the gain over the rows that cross its component. Other rows can be simulated badly
  // where all transfers are slow together. When a component was reported before, the gain over all compared
  // rows.
  double own_gain = 0;
  double own_misfit = 0;  // misfit of the recorded run over the same rows
  Chance own_chance;      // misfits of healthy runs over the same rows and time
};

// Returns whether own_misfit is at most that of a median healthy run and at most own_gain. The second
// condition is needed where healthy runs differ much from one another: there a hypothesis with a gain of 60,
// of a misfit of 200, named a healthy part.
bool explains(const Hypothesis& h);

// Precondition: the arguments outlive the contest.
class Contest {
 public:
  // `before` holds the recorded run and its baselines, and `given` the slow components that these baselines
  // contain already. Components in `in_any_case` are simulated even when each of the strongest hypotheses
  // lowers the likelihood.
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

  // Returns the hypothesis with the largest gain. A part of another kind than an earlier one needs a gain
  // that is larger by the factor 1 / kRivalShare. Its baselines are empty when no simulation was left. With a
  // gain below 0 every simulated hypothesis lowers the likelihood of the recorded run, and none was refined.
  //
  // Each hypothesis is simulated again with the factor that its last simulation suggests, while that raises
  // its gain. While the best gain is not clearly ahead (kRivalShare), the three best are refined in turn by
  // small changes of factor and begin, because a simulation that begins at another time stays out of step
  // with the recorded run. A winner that covers few bins is always refined. Where simulations are too long,
  // hypotheses are compared on the first part of their intervals and start from the factor of the best one so
  // far. The best of them are then simulated over their whole intervals.
  Hypothesis best_of(std::vector<Suspect> close);

  // Returns the largest log-likelihood gain, over the rows and the time of best_of(), that small changes to
  // factor, begin and end of the components reported before can give. A further component must gain more than
  // this correction of the known ones. Call it after best_of().
  double gain_of_given();

 private:
  struct Entrant {
    Hypothesis hypothesis;
    int change = 0;       // the next change to try, see changed()
    bool helped = false;  // it raised the gain
  };
  // Simulated factors of a hypothesis: one that was too small, and one that was too large.
  struct Bracket {
    double least = 0;
    double most = std::numeric_limits<double>::infinity();
  };
  // The time and the rows (cells.h: the transfers of one pattern that one core recorded) over which all
  // hypotheses are compared: the span of their intervals, and the rows whose path crosses the component of
  // at least one of them. Other transfers of a slow run are only shifted in time and do not show which
  // component is slow.
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
  double gain_of(const std::vector<Baseline>& baselines) const;  // over scope_, up to until_
  bool correct(Hypothesis& h, Bracket& bracket);
  bool sharpen(Entrant& entrant);
  bool sharpen_doubts(std::vector<Entrant>& all, size_t best);
  // Number of the changes that changed() makes to a hypothesis. Changes 1 and 2 are opposite (begin later,
  // earlier), and so are 3 and 4 (less slow, slower).
  static constexpr int kChanges = 5;  // cases of changed()
  Suspect changed(Suspect suspect, int change) const;

  const ScanInput& before_;
  const std::vector<Suspect>& given_;
  Expected& expected_;
  const std::vector<Component> in_any_case_;
  Scope scope_;
  uint64_t until_ = UINT64_MAX;  // cycle up to which hypotheses are simulated and compared at present
};

}  // namespace lento::chip
