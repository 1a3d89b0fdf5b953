// Learns what is usual for each machine of a group from its healthy cells: its mean difference from the
// peers, and how it responds to changes of the peers' level.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fleet/scan/cell_ring.h"

namespace lento::fleet {

class Usual {
 public:
  // A machine is known after `cells` cells. Without `responds`, no response is learned.
  Usual(size_t machines, size_t cells, bool responds)
      : cells_(cells),
        responds_(responds),
        past_(machines) {
  }

  using Cell = std::array<float, kStatistics>;  // NaN where missing
  // Adds a healthy cell of a machine and the peers' medians of the same time.
  void learn(size_t machine, const Cell& cell, const Cell& common);
  void refresh();  // estimates what is common to all machines; call after learn() for all at several times

  bool known(size_t machine) const {
    return known(past_[machine]);
  }
  double count(size_t machine) const {
    return double(past_[machine].count);
  }
  float mean(size_t machine, size_t statistic) const {
    return past_[machine].mean[statistic];
  }
  // Returns the expected value while the peers' median is `common`, limited to levels that occurred.
  double expected(size_t machine, size_t statistic, float common) const;
  // Returns the standard deviation of the means of single cells around their expected value.
  double cell_spread(size_t machine) const;
  // Estimates the weight of the others' mean variance in that of one machine from how much the variances
  // differ beyond chance (Smyth 2004). Call before variance().
  void weigh_variances();
  // Returns the variance of a machine's cells in multiples of the others' mean, as Noise pools the squares of
  // windows. One burst makes it large.
  double variance(size_t machine, size_t statistic) const;
  // Returns how many times the typical variance of single cells a machine's surely is, at least 1.
  std::vector<float> noisier() const;

  void forget(size_t machine) {
    past_[machine] = {};
  }
  // The number of a machine's healthy cells and their means, to be saved for a restart.
  using Means = std::array<float, kStatistics + 1>;
  Means means(size_t machine) const;
  void set_means(size_t machine, const Means& means);

 private:
  // A regression of the machine's cells on the peers' medians.
  struct Response {
    float common = 0;    // mean of the peers' medians
    float spread = 0;    // variance of the peers' medians
    float together = 0;  // covariance of the medians with the machine's difference
    float own = 0;       // variance of the machine's difference
    float far = 0;       // largest distance of a median from the mean of the medians
  };
  struct Past {
    std::array<float, kStatistics> mean{};
    std::array<Response, kTested> response{};
    float scatter = 0;  // variance of the squared difference of the means
    uint16_t count = 0;
  };
  // A slope by least squares, with its squared error.
  struct Slope {
    double value = 0;
    double error = 0;
  };
  // The variances of all machines' cells.
  struct Variances {
    double sum = 0;
    double machines = 0;
    double weight = INFINITY;  // of the others' mean in the variance of one machine, as a number of windows
  };
  bool known(const Past& past) const {
    return past.count >= cells_;
  }
  double beside_others(const Past& past, size_t statistic) const;
  Slope slope_of(const Past& past, size_t statistic) const;
  double shrunk_slope(const Past& past, size_t statistic) const;

  size_t cells_;
  bool responds_;
  std::vector<Past> past_;
  std::array<double, kTested> differ_{};  // variance of the machines' slopes beyond their errors
  std::array<Variances, kTested> variances_{};
};

}  // namespace lento::fleet
