// Finds machines that differ from their own past by more than healthy machines do, for one metric, one group
// of machines and one length of window.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fleet/scan/dips.h"
#include "fleet/scan/kinds.h"
#include "fleet/scan/noise.h"

namespace lento::fleet {

// Statistics of a cell (`channel` in this folder). kMean, kUpper and kLower are differences from the peers'
// median. kRaw is the mean itself, which is not tested but shows whether the machine or its peers changed.
enum Channel : size_t {
  kMean,
  kUpper,  // the 90 % quantile over the shortest window: it falls only when nearly all samples fall
  kLower,  // the 10 % quantile over it: it rises only when nearly all samples rise
  kRaw,
  kChannels
};
inline constexpr size_t kTested = 3;

struct LevelOptions {
  size_t machines = 0;
  bool against_peers = true;  // false: a single series, such as the whole job
  bool quantiles = true;      // false: the mean alone
  bool ranks = false;         // values lie between -1/2 and 1/2
  size_t cells = 8;           // number of cells in a window
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
  Channel channel = kMean;
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

class Level {
 public:
  explicit Level(const LevelOptions& options);

  // Adds one cell of every machine, with each statistic at [machine * kChannels + channel], NaN where
  // missing, followed by a cell of the peers' medians.
  void push(std::span<const float> cells, const Suspicion& suspicion);
  // Tests the window that ends with the last cell. `z` is the threshold from the budget.
  void test_window(const Suspicion& suspicion, double z, const Dips& dips, std::vector<Deviation>& out);
  // Returns the usual value of a machine's statistic (its difference from the peers' median for a tested
  // one) while that median is `common`. NaN until a window of healthy cells was learned.
  float usual(size_t machine, Channel channel, float common) const;
  // Discards the past of a machine that was absent.
  void forget(size_t machine);
  // The number of a machine's healthy cells and their means, to be saved for a restart.
  using PastMeans = std::array<float, kChannels + 1>;
  PastMeans past(size_t machine) const;
  void set_past(size_t machine, const PastMeans& past);
  // Returns the noise of each tested statistic's differences from the past: three on the metric's scale,
  // then three in units of the present scatter of the peers.
  std::array<Noise*, 2 * kTested> noises();
  // Returns how many cells before the window's end the change most likely began.
  size_t cells_since_change(size_t machine, Channel channel) const;
  // Returns the smallest change that the most sensitive statistic detects on any machine with 95 %
  // probability, on the metric's scale, 0 without enough data. `slow` is the side of the change.
  double detectable(double z, const Dips& dips, Slow slow) const;

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
  // The response of a machine to changes of its peers, by a regression of its cells on the peers' medians.
  struct Response {
    float common = 0;    // mean of the peers' medians
    float spread = 0;    // variance of the peers' medians
    float together = 0;  // covariance of the medians with the machine's difference
    float own = 0;       // variance of the machine's difference
    float scatter = 0;   // variance of the squared difference
    float far = 0;       // largest distance of a median from the mean of the medians
    float slope = 0;     // shrunk towards 0 unless the machines' slopes differ by more than chance
  };
  struct Past {
    std::array<float, kChannels> mean{};
    std::array<Response, kTested> response{};
    std::array<Test, kTested> pending{};  // differences of the previous window, not learned yet
    std::array<float, kTested> pending_single{};
    float count = 0;
    bool has_pending = false;
  };
  struct Difference {
    std::array<float, kChannels> value{};
    std::array<float, kTested> single{};  // values before quantiles are combined with the mean
    bool whole = false;
  };
  float& cell(size_t machine, size_t channel, size_t i) {
    return ring_[(machine * kChannels + channel) * o_.cells + i];
  }
  float cell(size_t machine, size_t channel, size_t i) const {
    return ring_[(machine * kChannels + channel) * o_.cells + i];
  }
  size_t window(size_t channel) const;
  float statistic(size_t machine, size_t channel, size_t first) const;
  void retire(size_t machine);
  void estimate_slopes(Channel channel);
  double expected(size_t machine, size_t channel, float common) const;
  Difference difference(size_t machine) const;
  bool lasts(size_t machine, double change) const;
  void subtract_median(size_t channel, const Suspicion& suspicion);
  Thresholds thresholds(Channel channel, double z) const;
  Test in_thresholds(size_t machine, Channel channel, double change, const Thresholds& by) const;
  Deviation test(size_t machine, Channel channel, const Thresholds& by);
  double by_chance(size_t machine, const Dips& dips, double z) const;
  double allowed(const Deviation& deviation, size_t machine, const Dips& dips, double z) const;
  void combine(Channel quantile);
  void judge(Channel channel, double z, const Dips& dips, std::vector<Deviation>& out);
  void learn(const Suspicion& suspicion);
  void expect_noisy();
  double cell_spread(size_t machine) const;
  bool exceeds(size_t machine, Channel channel, double change, const Thresholds& by) const;
  double needed(size_t machine, Channel channel, const Thresholds& by, double z, const Dips& dips) const;
  double detectable(Channel channel, double z, const Dips& dips) const;
  bool may_show(Channel channel) const {  // whether changes of the statistic are judged
    return absolute_[channel].known(channel == kMean ? 2 : 1) &&
           (channel == kMean ? !(o_.brief && o_.quantiles) : o_.quantiles);
  }

  LevelOptions o_;
  uint64_t pushed_ = 0;
  std::vector<float> ring_;
  std::vector<Past> past_;
  std::vector<Difference> now_;
  std::array<float, kChannels> middle_{};  // median of the differences, which is subtracted from all
  std::vector<std::array<Test, kTested>> tests_;
  std::array<Noise, kTested> single_;  // noise of Difference::single, for the weights in combine()
  std::array<Noise, kTested> absolute_;
  std::array<Noise, kTested> relative_;
};

}  // namespace lento::fleet
