// Finds machines that differ from their own past by more than healthy machines do, for one metric, one group
// of machines and one length of window.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fleet/scan/cell_ring.h"
#include "fleet/scan/dips.h"
#include "fleet/scan/kinds.h"
#include "fleet/scan/noise.h"
#include "fleet/scan/usual.h"

namespace lento::fleet {

struct LevelOptions {
  size_t machines = 0;
  bool against_peers = true;  // false: a single series, such as the whole job
  bool quantiles = true;      // false: the mean alone
  bool ranks = false;         // values lie between -1/2 and 1/2
  size_t cells = 0;           // number of cells in a window
  size_t rows_a_cell = 1;
  bool brief = false;          // the window is so short that a burst determines its mean, which is not judged
  size_t quantile_cells = 1;   // number of cells whose quantiles form that of a window
  size_t rows_a_quantile = 1;  // number of rows that these cells cover
};

// The strongest deviation of one machine in one test. Scores are multiples of the threshold, with the sign of
// the change.
struct Deviation {
  float score = 0;   // relative to the present scatter of the peers and the noise of the past
  float beside = 0;  // relative to the noise of the past alone, for machines that cause the scatter together
  float shown = 0;   // the larger size of both, before allowed() limits them
  float change = 0;  // change of the statistic
  float raw = 0;     // change of the machine's level, without its peers
  float past = 0;    // the machine's usual difference from its peers
  Statistic statistic = kMean;
  bool judged = false;
};

// The machines that may have a fault. They do not count as peers, and nothing is learned from their cells.
struct Suspicion {
  std::span<const uint8_t> machines;  // not zero: suspected
  bool all = false;                   // so many are suspected that nothing is learned from the others either
  bool frozen(size_t machine) const {
    return all || machines[machine] != 0;
  }
};

// The difference of a machine's window from its expectation.
struct Difference {
  std::array<float, kStatistics> value{};
  std::array<float, kTested> single{};  // values before quantiles are combined with the mean
  bool whole = false;
};

class Level {
 public:
  // `ring` has the machines' cells, and o.cells of them at least. `now` is working memory of a test, which
  // the levels of a scan share.
  Level(
      const LevelOptions& o,
      std::shared_ptr<const CellRing> ring,
      std::shared_ptr<std::vector<Difference>> now);

  // Learns the oldest cell of the window, which the next push into the ring moves out of it.
  void learn_oldest(const Suspicion& suspicion);
  // Tests the window that ends with the last cell. `z` is the threshold from the budget.
  void test_window(const Suspicion& suspicion, double z, const Dips& dips, std::vector<Deviation>& out);
  // Returns the usual value of a machine's statistic (its difference from the peers' median for a tested
  // one) while that median is `common`. NaN until a window of healthy cells was learned.
  float usual(size_t machine, Statistic statistic, float common) const;
  void forget(size_t machine);  // discards the past of a machine that was absent
  Usual& past() {               // of the machines
    return usual_;
  }
  const Usual& past() const {
    return usual_;
  }
  // Returns the noise of each tested statistic's differences from the past: three on the metric's scale,
  // then three in units of the present scatter of the peers.
  std::array<Noise*, 2 * kTested> noises();
  // Returns how many cells before the window's end the change most likely began.
  size_t cells_since_change(size_t machine, Statistic statistic) const;
  // Returns the smallest change that the most sensitive statistic detects on any machine with 95 %
  // probability, on the metric's scale, 0 without enough data. `slow` is the side of the change.
  double detectable(const Suspicion& suspicion, double z, const Dips& dips, Slow slow);

 private:
  // A difference on the metric's scale, and in units of the present scatter.
  struct Test {
    float absolute = 0;
    float relative = 0;
  };
  // The present scatter and the thresholds in z, for one test of one statistic.
  struct Thresholds {
    double present = 1;   // spread of the machines' differences now; 0: all are equal
    double peers = 0;     // number of machines with a difference
    double absolute = 0;  // threshold for differences on the metric's scale
    double relative = 0;  // threshold for differences in units of the present scatter
  };
  // The differences of a machine's previous window, not learned yet.
  struct Pending {
    std::array<float, kTested> difference{};
    std::array<float, kTested> single{};
    bool known = false;
  };
  float cell(size_t machine, size_t statistic, size_t i) const {
    return ring_->at(machine, statistic, o_.cells - 1 - i);
  }
  double widened(size_t machine, Statistic statistic) const;
  size_t window(size_t statistic) const;
  float window_value(size_t machine, size_t statistic, size_t first) const;
  Difference difference(size_t machine, const Usual::Cell& common) const;
  void form_differences(const Suspicion& suspicion);
  bool lasts(size_t machine, double change) const;
  void subtract_median(size_t statistic, const Suspicion& suspicion);
  Thresholds thresholds(Statistic statistic, double z) const;
  Test in_thresholds(size_t machine, Statistic statistic, double change, const Thresholds& by) const;
  Deviation test(size_t machine, Statistic statistic, const Thresholds& by) const;
  double by_chance(size_t machine, const Dips& dips, double z) const;
  double allowed(const Deviation& deviation, size_t machine, const Dips& dips, double z) const;
  void combine(Statistic quantile) const;
  void judge(Statistic statistic, double z, const Dips& dips, std::vector<Deviation>& out);
  void learn(const Suspicion& suspicion);
  bool exceeds(size_t machine, Statistic statistic, double change, const Thresholds& by) const;
  double needed(size_t machine, Statistic statistic, const Thresholds& by, double z, const Dips& dips) const;
  double detectable(Statistic statistic, double z, const Dips& dips) const;
  bool may_show(Statistic statistic) const {  // whether changes of the statistic are judged
    return absolute_[statistic].known(statistic == kMean ? 2 : 1) &&
           (statistic == kMean ? !(o_.brief && o_.quantiles) : o_.quantiles);
  }

  LevelOptions o_;
  std::shared_ptr<const CellRing> ring_;
  std::shared_ptr<std::vector<Difference>> now_;
  Usual usual_;
  std::array<float, kTested> middle_{};    // median of the differences, which is subtracted from all
  std::array<double, kTested> present_{};  // Thresholds::present of the last test
  std::array<double, kTested> pending_present_{};
  std::vector<Pending> pending_;
  std::array<Noise, kTested> absolute_;
  std::array<Noise, kTested> relative_;
  std::array<PooledNoise, kTested> single_;  // noise of Difference::single, for the weights in combine()
};

}  // namespace lento::fleet
