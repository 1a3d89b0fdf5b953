// Computes the baselines (the expected levels of every row) under a hypothesis from simulated runs, and the
// misfit of the recorded run: minus the log-likelihood of its levels under these baselines.
#pragma once

#include <cstdint>
#include <vector>

#include "chip/detect/cells.h"
#include "chip/detect/detect.h"

namespace lento::chip {

// A simulated run, used as if it were the recorded one, with the baselines that follow from the other
// simulated runs alone (leave one out). `cells` points into Expected.
struct LeftOut {
  const Cells* cells = nullptr;
  std::vector<Path> paths;
  std::vector<Baseline> baselines;
};

// Expected::misfit() of simulated healthy runs, each against the baselines of the others. The misfit of a run
// whose transfers wait in another periodic order than in the others is large.
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

  // Returns the baselines of the healthy chip: from the run given as healthy, else from simulated runs, else
  // from the recorded run itself.
  const std::vector<Baseline>& healthy() const {
    return healthy_;
  }

  // Returns the simulated runs of the healthy chip.
  const std::vector<Cells>& draws() const {
    return draws_;
  }

  // Returns each simulated run with the baselines of the other simulated runs. The runs are of the healthy
  // chip, and after settled() of the chip with the components found so far. Empty for fewer than two runs.
  std::vector<LeftOut> left_out() const;

  // Returns how many times as long the recorded run is as the longest simulated one, or as the one given as
  // healthy. 1 when there is neither.
  double longer() const;

  // Returns how many more simulations the search for the next component may use.
  int left() const;
  // Returns how many more runs as long as the recorded one may be simulated in all
  // (DetectOptions::most_records), whatever left() is.
  double affordable() const;
  void next_component() {
    used_ = 0;
  }

  // Returns the baselines of the healthy chip, moved by the change of level that the slow components cause
  // between two simulations with the same seed. Rows that they do not affect keep their healthy level
  // exactly, so two hypotheses differ only where their predictions differ. The run is simulated up to cycle
  // `until`. Later bins of an interval get its mean change up to there. Uses one simulation of left(), and
  // none when `slow` is empty. Precondition: left() > 0.
  std::vector<Baseline> with(const std::vector<Suspect>& slow, uint64_t until = UINT64_MAX);
  // Returns with() for components that are reported already, and uses none of left().
  std::vector<Baseline> with_found(const std::vector<Suspect>& found, uint64_t until = UINT64_MAX);
  // Returns the mean of with() over simulations with several seeds and slightly different factors and begins
  // of the components. The transfers of a chip with a fault wait in one of several periodic orders, which the
  // seed selects, and factor and begin of the found components have errors. The variance between the
  // simulations is added to the baselines' variance. Uses none of left().
  std::vector<Baseline> settled(const std::vector<Suspect>& slow);

  // Returns the misfit: minus the log-likelihood of the recorded levels of these rows between the cycles
  // `begin` and `end` (unlikely()). It is the mean of two values, one for the mean level of each
  // kBinsTogether successive bins, the other for the mean level of all bins of a row. The second value still
  // fits when a slow run reaches its phases a little earlier or later than its simulation.
  double misfit(
      const std::vector<Baseline>& baselines,
      const std::vector<size_t>& rows,
      uint64_t begin,
      uint64_t end) const;
  // Returns the median and standard deviation of misfit() over left_out(), for these rows. Zeros with fewer
  // than two runs.
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
  std::vector<Cells> settled_;  // of the chip with the components of settled(), empty before its first call
  std::vector<Baseline> healthy_;
  int used_ = 0;
  double spent_ = 0;  // simulated with slow components, in lengths of the recorded run
};

}  // namespace lento::chip
