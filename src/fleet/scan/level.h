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

// Statistics of a cell. Mean, Upper and Lower are differences from the peers' median. Raw is the value
// itself and is not tested, but shows which machine moved.
enum Channel : size_t {
  kMean,
  kUpper,  // the 90 % quantile of a block: it falls only when nearly all samples fall
  kLower,  // the 10 % quantile: it rises only when nearly all samples rise
  kRaw,
  kChannels
};
inline constexpr size_t kTested = 3;

struct LevelOptions {
  size_t machines = 0;
  bool against_peers = true;  // false: a single series, such as the whole job
  bool quantiles = true;      // false: the mean alone
  bool ranks = false;         // values lie between -1/2 and 1/2
  size_t cells = 8;           // of a window
  size_t rows_a_cell = 1;
  bool brief = false;          // so short that a burst is a mean: the mean alone is not judged
  size_t quantile_cells = 1;   // whose quantiles make a window
  size_t rows_a_quantile = 1;  // of that window
};

// The strongest deviation of one machine in one test. Scores are in thresholds, with the sign of the change.
struct Look {
  float score = 0;   // by the scatter of the peers at this moment
  float beside = 0;  // by the noise of the past alone: for many that deviate at once, which make a scatter
  float shown = 0;   // the larger of both, before what chance allows is taken into account
  float change = 0;  // of the statistic
  float raw = 0;     // of the machine's own level, peers aside
  float past = 0;    // the machine's usual difference from its peers
  Channel channel = kMean;
  bool judged = false;
};

// Machines under suspicion do not count as peers. Their cells are frozen: they enter neither past nor noise.
struct Suspicion {
  std::span<const uint8_t> machines;  // not zero: suspected
  bool all = false;                   // so many are suspected that the others are frozen too
  bool frozen(size_t machine) const {
    return all || machines[machine] != 0;
  }
};

class Level {
 public:
  explicit Level(const LevelOptions& options);

  // One cell of every machine, [machine * kChannels + channel], NaN where missing, and behind them one of the
  // peers' medians.
  void push(std::span<const float> cells, const Suspicion& suspicion);
  // Tests the window that ends with the last cell. `z` is the threshold from the budget.
  void look(const Suspicion& suspicion, double z, const Dips& dips, std::vector<Look>& out);
  // Returns the machine's usual value of a channel while its peers' median is `common`, NaN before it has a
  // past.
  float usual(size_t machine, Channel channel, float common) const;
  // Discards the past of a machine that was away.
  void forget(size_t machine);
  // The machine's cells so far and their means in the healthy state, for a restart.
  using PastMeans = std::array<float, kChannels + 1>;
  PastMeans past(size_t machine) const;
  void set_past(size_t machine, const PastMeans& past);
  // The noise of the absolute and the relative differences of each tested channel.
  std::array<Noise*, 2 * kTested> noises();
  // Cells before the window's end at which the change most likely began.
  size_t cells_since_change(size_t machine, Channel channel) const;
  // Returns the share or shift that is named with 95 % probability on any machine by the most sensitive
  // channel, 0 without enough data. `slow` is the side on which it lies.
  double detectable(double z, const Dips& dips, Slow slow) const;

 private:
  // A difference on the metric's scale, and in units of the present scatter.
  struct Test {
    float absolute = 0;
    float relative = 0;
  };
  // The present scatter and the thresholds in z, for one test of one channel.
  struct Yardstick {
    double present = 1;  // 0: all are equal
    double peers = 0;
    double absolute = 0;
    double relative = 0;
  };
  // The response of a machine to what its peers do, by a regression of its cells on their medians.
  struct Response {
    float common = 0;    // mean of the medians
    float spread = 0;    // their variance
    float together = 0;  // covariance with the machine's difference
    float own = 0;       // variance of the difference
    float scatter = 0;   // variance of its square
    float far = 0;       // the largest distance of a median from that mean
    float slope = 0;     // shrunk by how much the machines' slopes differ beyond chance
  };
  struct Past {
    std::array<float, kChannels> mean{};
    std::array<Response, kTested> response{};
    std::array<Test, kTested> pending{};  // of the window before
    std::array<float, kTested> pending_single{};
    float count = 0;
    bool has_pending = false;
  };
  struct Difference {
    std::array<float, kChannels> value{};
    std::array<float, kTested> single{};  // before quantiles are combined with the mean
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
  Yardstick yardstick(Channel channel, double z) const;
  Test in_thresholds(size_t machine, Channel channel, double change, const Yardstick& by) const;
  Look test(size_t machine, Channel channel, const Yardstick& by);
  double by_chance(size_t machine, const Dips& dips, double z) const;
  double allowed(const Look& look, size_t machine, const Dips& dips, double z) const;
  void combine(Channel quantile);
  void judge(Channel channel, double z, const Dips& dips, std::vector<Look>& out);
  void learn(const Suspicion& suspicion);
  void expect_noisy();
  double cell_spread(size_t machine) const;
  bool exceeds(size_t machine, Channel channel, double change, const Yardstick& by) const;
  double needed(size_t machine, Channel channel, const Yardstick& by, double z, const Dips& dips) const;
  double detectable(Channel channel, double z, const Dips& dips) const;
  bool may_show(Channel channel) const {  // a change that is judged
    return absolute_[channel].known(channel == kMean ? 2 : 1) &&
           (channel == kMean ? !(o_.brief && o_.quantiles) : o_.quantiles);
  }

  LevelOptions o_;
  uint64_t pushed_ = 0;
  std::vector<float> ring_;
  std::vector<Past> past_;
  std::vector<Difference> now_;
  std::array<float, kChannels> middle_{};  // of the differences, subtracted from all
  std::vector<std::array<Test, kTested>> tests_;
  std::array<Noise, kTested> single_;  // of a channel as it is, for its weight
  std::array<Noise, kTested> absolute_;
  std::array<Noise, kTested> relative_;
};

}  // namespace lento::fleet
