// What the sketch should hold under a hypothesis: baselines from simulated runs, and how far the recorded run
// lies from them.
#pragma once

#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

// A simulated run as a recording, and what is expected of it. `cells` belongs to Expected.
struct LeftOut {
  const Cells* cells = nullptr;
  std::vector<Path> paths;
  std::vector<Baseline> baselines;
};

// How far a row of the recorded run lies off where its twin should be, before and after what is asked about:
// one that never waits for a peer, say, for which the twin's waits. Octaves, and what is not known of it.
struct RowShift {
  double octaves = 0;
  double variance = 0;
};

// What hypotheses are compared on: when, and the transfers that pass through any of them. Elsewhere a slow
// run is a healthy one shifted in time, which says nothing about where it is slow.
struct Scope {
  // cycles
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
  std::vector<size_t> rows;
  std::vector<RowShift> shifts;  // of these rows
};

// Precondition: what it is given outlives it.
class Expected {
 public:
  struct Setup {
    const Cells& cells;
    const std::vector<Path>& paths;
    const spec::Chip& chip;
    const Grid& grid;
    const DetectOptions& options;
  };
  explicit Expected(const Setup& setup);

  // Of the healthy chip: levels of the run given as healthy, else of simulated ones, else of the run itself.
  const std::vector<Baseline>& healthy() const {
    return healthy_;
  }

  // One simulated run after the other as a recording, with the levels that the others expect of it: of the
  // healthy chip, or after settled() of the chip with what was found. Fewer than two runs tell nothing.
  std::vector<LeftOut> left_out() const;

  // Replays left for hypotheses about the next component.
  int left() const {
    return setup_.options.replay ? setup_.options.most_replays - used_ : 0;
  }
  void next_component() {
    used_ = 0;
  }

  // With these components slow: the healthy levels moved by what the same draw of the simulation changes when
  // the faults are put in. Transfers that the faults do not reach keep their healthy level to the bit, so two
  // hypotheses differ only where they say different things. Costs one replay; precondition: one is left.
  std::vector<Baseline> with(const std::vector<Suspect>& slow);
  // The same over several draws, as many as replays are left for, and how far they lie apart. Precondition:
  // one is left.
  std::vector<Baseline> with_draws(const std::vector<Suspect>& slow);
  // With several draws of what was found and about: a chip under a fault settles into one of several rhythms,
  // and what was found is known only about; how far the draws lie apart widens what is expected. Costs no
  // hypothesis.
  std::vector<Baseline> settled(const std::vector<Suspect>& slow);

  // How far the recorded run is from `baselines` in a scope: minus twice the log-likelihood, Student t as in
  // the scan. Bins are judged by fours and, with as much weight, all together: a slow run reaches its phases
  // a little earlier or later than its simulation.
  double misfit(const std::vector<Baseline>& baselines, const Scope& scope) const;
  // The same of one time bin alone.
  double misfit_of_bin(const std::vector<Baseline>& baselines, const Scope& scope, size_t bin) const;
  // Fills in the shifts of a scope.
  void look_around(Scope& scope) const;

 private:
  void add_wander(
      const std::vector<const Cells*>& draws,
      const Cells& cells,
      std::vector<Baseline>& baselines) const;
  Cells replayed(const std::vector<Suspect>& slow, uint32_t draw) const;
  std::vector<Baseline> moved(const std::vector<Suspect>& slow, const Cells& faulty, uint32_t draw) const;

  const Setup setup_;
  std::vector<Cells> draws_;    // of the healthy chip
  std::vector<Cells> settled_;  // of the chip with what was found; empty before it was asked for
  std::vector<Baseline> healthy_;
  int used_ = 0;
};

}  // namespace lento::chip
