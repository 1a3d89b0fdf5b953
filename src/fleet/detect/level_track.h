// One metric, one group of peers, one horizon: whose level over the last n samples differs from the peers'?
//
// Problem: a machine 5 to 10 % off shows only in averages, yet means of n samples still carry the aliasing of
// the job's iterations with the sampling, and machines differ a little for good.
// Idea: take several location statistics of each machine's window (mean, five quantiles), subtract the peers'
// median of each, and combine them with the weights of least variance (generalised least squares for a common
// shift) learned from the peers' own scatter. Subtract what was normal for this machine before.
//   D_mf = f(window of m) - median_peers f          f in {mean, q10, q25, q50, q75, q90}
//   w    = C^-1 1 / (1' C^-1 1), negatives cut       C = scatter of D (ridge 5 %)
//   r_m  = w . D_m                                    level test: |r_m| > z_level s_r
//   e_m  = r_m - n/(n+2) w . B_m                      change test: |e_m| > z_change s_e
// B_m is the mean of D_m over earlier evaluations (over one horizon old, none while suspected), n how many.
// s is the larger of the present robust spread of the peers and its running mean, never under `floor_share`
// of the level (a tenth of that share of the largest value ever seen). The level test retires for a machine
// whose offset has long been accepted as normal. Continuity is k of n: the window is cut in 8 blocks; at
// least 6 must deviate the same way by at least 0.3 of the whole deviation, so a short burst, however large,
// is no level. Cost: one sort of n floats a machine and evaluation, as a sorting network over machines side
// by side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "fleet/detect/echo.h"
#include "fleet/minder/kernel.h"

namespace lento::fleet {

struct TrackOptions {
  size_t n = 140;        // samples of the window
  size_t stride = 8;     // samples between evaluations
  double z_level = 6.5;  // thresholds in standard deviations
  double z_change = 6.5;
  double floor_share = 0.002;
  size_t min_peers = 4;  // machines with data, itself included
  // Ranking, not alarms: known machines are judged by their learned spread alone, which follows the last
  // looks, and echoes (echo.h) count nothing. On servers that resemble each other little both put fewer first
  // (asd12: 220 of 569 single points instead of 260).
  bool trust_history = false;
};

// What one evaluation says about one machine.
struct Judged {
  float score = 0;      // deviation over threshold: 1 and more is abnormal; 0 when not judged
  float deviation = 0;  // in the metric's unit, against peers (and own past for the change test)
  float level = 0;      // the machine's level by the same statistic
  float threshold = 0;  // the deviation that would score 1
  bool steady = false;  // continuity holds
  uint8_t blocks = 0;   // of the window's 8 that deviate like the whole
  float rest = 0;       // share of the deviation that remains without the three strongest blocks
  bool judged = false;
};

struct PeerBand {
  // 10 %, 50 %, 90 % of the peers' levels
  float low = 0;
  float median = 0;
  float high = 0;
};

// Writes a machine's last n samples, oldest first and NaN where missing, to to[i * stride].
using WindowReader = std::function<void(size_t machine, float* to, size_t stride)>;

class LevelTrack {
 public:
  static constexpr size_t kFeatures = 6;
  static constexpr size_t kBlocks = 8;

  LevelTrack(const TrackOptions& options, size_t machines);

  // Returns false when too few machines have data or when so many deviate at once that it is a change of the
  // job.
  bool evaluate(const WindowReader& window, std::vector<Judged>& out, PeerBand& band);

  // The machines that deviated at once in the last evaluation, when they are so many that it is taken for a
  // change of the job.
  const std::vector<size_t>& together() const {
    return together_;
  }

  const TrackOptions& options() const {
    return options_;
  }

  // Learned state as numbers and back, to survive a restart and a change of the machines: what the peers
  // share, and what is normal for one machine. Numbers that are too few, too many or not finite are ignored.
  static constexpr size_t kOwnNumbers = kFeatures + 2;
  std::vector<double> shared_state() const;
  std::vector<double> own_state(size_t machine) const;
  void restore_shared(std::span<const double> state);
  void restore_own(size_t machine, std::span<const double> state);

 private:
  using Feature = std::array<float, kFeatures>;
  using Block = std::array<float, kBlocks>;
  void measure(const WindowReader& window, size_t first, size_t count);
  size_t thin_columns(size_t lanes, std::array<float, kMaxLanes>& counts);
  void subtract_peers(const std::vector<size_t>& present);
  void learn_weights(const std::vector<size_t>& present);
  // By machine present: against the peers, and against what was normal for it.
  struct Offsets {
    std::vector<double> level;
    std::vector<double> change;
    std::vector<double> scale;  // of what was normal, in proportion to the peers' level
    std::vector<double> free;   // changes without what follows from the window before
    std::vector<double> known;  // those whose normal is known, of `free`
  };
  // Standard deviations of one evaluation.
  struct Scales {
    double floor = 0;
    double level_now = 0;  // of the peers now
    double change_now = 0;
    double level = 0;  // for the level test: with the running mean, the floor and few peers
    double change = 0;
    double mean_own = 0;  // variance of one machine's changes, mean over machines
    bool past = false;    // enough is known for the change test
  };
  // The two tests of one machine, as shares of their thresholds.
  struct Tests {
    double by_level = 0;
    double by_change = 0;
    double change_sd = 0;
  };
  bool judge(const std::vector<size_t>& present, std::vector<Judged>& out);
  Offsets offsets_of(const std::vector<size_t>& present, double level);
  void remember_levels(const std::vector<size_t>& present, double level);
  Scales scales_of(const std::vector<size_t>& present, const Offsets& offsets, double level);
  Tests test(size_t m, double level_offset, double change, const Scales& scales) const;
  double own_variance(size_t m, double mean) const;
  void learn_own(size_t m, double change);
  size_t looks_an_entry() const {  // evaluations to one entry of what is normal: four entries a window
    return std::max<size_t>(1, options_.n / options_.stride / 4);
  }
  double quiet_blocks(size_t m) const;
  void learn_baselines(const std::vector<size_t>& present, const std::vector<Judged>& out);
  double normal_offset(size_t m, double r, double level, double& scale) const;
  void judge_continuity(size_t m, double own, Judged& j) const;
  bool shows_burst(const Feature& f) const;
  double combine(const Feature& f) const;

  TrackOptions options_;
  uint64_t evaluations_ = 0;
  std::vector<size_t> together_;
  // per machine
  std::vector<Feature> feature_;
  std::vector<Feature> deviation_;
  std::vector<Feature> baseline_;
  std::vector<Block> block_;
  std::vector<float> baseline_count_;
  std::vector<float> own_variance_;
  Feature median_{};
  std::array<double, kFeatures * kFeatures> scatter_{};
  std::array<double, kFeatures> weight_{1, 0, 0, 0, 0, 0};
  // running, pooled over machines
  double level_variance_ = 0;
  double change_variance_ = 0;
  double level_count_ = 0;
  double change_count_ = 0;
  double typical_level_ = 0;
  double largest_ = 0;
  Echo echo_;
  std::vector<float> columns_;  // scratch: [sample][lane]
  // of unsuspected machines' blocks against their peers
  double block_variance_ = 0;
  double block_count_ = 0;
  // the peers' level when baselines were entered
  double baseline_level_ = 0;
  double baseline_level_count_ = 0;
  struct Pending {
    std::vector<Feature> deviation;
    double level = 0;
  };
  std::deque<Pending> pending_;  // baselines wait until they are over a horizon old
};

}  // namespace lento::fleet
