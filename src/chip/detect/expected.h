// What the sketch should hold under a hypothesis: baselines from simulated runs, and how far the recorded run
// lies from them.
#pragma once

#include <cstdint>
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

// Misfits of runs without a fault, each against what the others expect of it: a run of another rhythm is far
// from them.
struct Chance {
  double median = 0;
  double scatter = 0;  // standard deviation
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
    uint64_t records = 0;  // of the recorded run
  };
  explicit Expected(const Setup& setup);

  // Of the healthy chip: levels of the run given as healthy, else of simulated ones, else of the run itself.
  const std::vector<Baseline>& healthy() const {
    return healthy_;
  }

  // One simulated run after the other as a recording, with the levels that the others expect of it: of the
  // healthy chip, or after settled() of the chip with what was found. Fewer than two runs tell nothing.
  std::vector<LeftOut> left_out() const;

  // How much longer the recorded run took than the longest simulated one, or the one given as healthy, did; 1
  // when nothing tells.
  double longer() const;

  // Replays left for hypotheses about the next component.
  int left() const;
  // Of runs that end where the recorded one does, without regard to how many there may be about one
  // component.
  double affordable() const;
  void next_component() {
    used_ = 0;
  }

  // With these components slow: the healthy levels moved by what the same draw of the simulation changes when
  // the faults are put in. Transfers that the faults do not reach keep their healthy level to the bit, so two
  // hypotheses differ only where they say different things. Costs one replay, of as much of the run as begins
  // before `until` cycles: what is expected later follows from that. Precondition: one is left.
  std::vector<Baseline> with(const std::vector<Suspect>& slow, uint64_t until = UINT64_MAX);
  // The same of what was found already; costs no hypothesis.
  std::vector<Baseline> with_found(const std::vector<Suspect>& found, uint64_t until = UINT64_MAX);
  // The same over several draws: a chip under a fault settles into one of several rhythms, and what was found
  // is known only about; how far the draws lie apart widens what is expected. Costs no hypothesis.
  std::vector<Baseline> settled(const std::vector<Suspect>& slow);

  // How far the recorded run is from `baselines` between two times: minus twice the log-likelihood, Student t
  // as in the scan. Bins are judged by fours and, with as much weight, all together: a slow run reaches its
  // phases a little earlier or later than its simulation.
  double misfit(
      const std::vector<Baseline>& baselines,
      const std::vector<size_t>& rows,
      uint64_t begin,
      uint64_t end) const;
  // misfit() of simulated runs in the place of the recorded one. Zeros of fewer than two.
  Chance chance(const std::vector<size_t>& rows, uint64_t begin, uint64_t end) const;

 private:
  void add_correlation(
      const std::vector<const Cells*>& draws,
      const Cells& cells,
      std::vector<Baseline>& baselines) const;
  Cells replayed(const std::vector<Suspect>& slow, uint32_t draw, uint64_t until = UINT64_MAX) const;
  std::vector<Baseline> moved(const std::vector<Suspect>& slow, const Cells& faulty, uint32_t draw) const;

  const Setup setup_;
  std::vector<Cells> draws_;    // of the healthy chip
  std::vector<Cells> settled_;  // of the chip with what was found; empty before it was asked for
  std::vector<Baseline> healthy_;
  int used_ = 0;
  double spent_ = 0;  // whole runs that were simulated, of hypotheses
};

}  // namespace lento::chip
