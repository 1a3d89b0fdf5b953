// Computes what the sketch should hold under a hypothesis: baselines from simulated runs, and the distance of
// the recorded run from them.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

// A simulated run in the place of the recorded one, with its baselines. `cells` belongs to Expected.
struct LeftOut {
  const Cells* cells = nullptr;
  std::vector<Path> paths;
  std::vector<Baseline> baselines;
};

// Misfits of healthy runs, each against the baselines of the others. A run in which transfers wait in another
// periodic order is far from them.
struct Chance {
  double median = 0;
  double scatter = 0;  // standard deviation
};

// Precondition: the setup outlives it.
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

  // Returns levels of the healthy chip: of the run given as healthy, otherwise of simulated ones, otherwise
  // of the run itself.
  const std::vector<Baseline>& healthy() const {
    return healthy_;
  }

  // Returns the simulated runs of the healthy chip.
  const std::vector<Cells>& draws() const {
    return draws_;
  }

  // Returns each simulated run as a recording, with the levels that the others predict for it: of the healthy
  // chip, or after settled() of the chip with the found components. Empty for fewer than two runs.
  std::vector<LeftOut> left_out() const;

  // Returns the length of the recorded run over the longest simulated one, or over the one given as healthy.
  // 1 when neither exists.
  double longer() const;

  // Returns the number of replays left for hypotheses about the next component.
  int left() const;
  // Returns how many runs as long as the recorded one can be simulated, regardless of the limit for one
  // component.
  double affordable() const;
  void next_component() {
    used_ = 0;
  }

  // Returns the healthy levels moved by the change that the faults cause in the same draw of the simulation.
  // Transfers that the faults do not reach keep their healthy level exactly, so two hypotheses differ only
  // where their predictions do. Costs one replay of the part of the run that begins before `until` cycles,
  // from which later levels follow. Precondition: one is left.
  std::vector<Baseline> with(const std::vector<Suspect>& slow, uint64_t until = UINT64_MAX);
  // Returns with() for components that were found already, which costs no hypothesis.
  std::vector<Baseline> with_found(const std::vector<Suspect>& found, uint64_t until = UINT64_MAX);
  // Returns the mean of with() over several draws, because the transfers of a chip with a fault wait in one
  // of several periodic orders, and the found components are estimated with errors. The spread of the draws
  // is added to the baseline's variance. Costs no hypothesis.
  std::vector<Baseline> settled(const std::vector<Suspect>& slow);

  // Returns the distance of the recorded run from `baselines` between two times: minus twice the log-
  // likelihood under the Student t of scan.cc. Half of it judges each group of four bins of a row, and half
  // the mean of all bins of the row, because a slow run reaches its phases a little earlier or later than its
  // simulation.
  double misfit(
      const std::vector<Baseline>& baselines,
      const std::vector<size_t>& rows,
      uint64_t begin,
      uint64_t end) const;
  // Returns the median and scatter of misfit() for simulated runs in the place of the recorded one. Zeros
  // with fewer than two runs.
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
