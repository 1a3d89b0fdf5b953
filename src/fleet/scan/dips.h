// Counts how often single samples of healthy machines deviate, to find how unlikely it is by chance that
// nearly all samples of a window deviate.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace lento::fleet {

inline constexpr double kLeastSpread = 1e-3;  // share of a level; smaller differences do not matter

// Counts healthy samples by their distance under the machine's usual upper quantile and over its usual lower
// quantile, which shows how often single samples deviate by chance as much as a whole window did.
class Dips {
 public:
  Dips() = default;
  // Stores for each of the last `rows_kept` rows which machines deviated.
  explicit Dips(size_t machines, size_t rows_kept = 0)
      : last_(machines),
        newest_(rows_kept, Row(machines)) {
  }
  // Counts the next healthy sample of a machine by its distances under the machine's usual upper quantile
  // and over the lower one, on the metric's scale.
  void add(size_t machine, double under_upper, double over_lower);
  // Stores the newest row, which may show a fault: begin_row(), then see() for each machine, with the
  // distances of add().
  void begin_row();
  void see(size_t machine, double under_upper, double over_lower);
  // Returns the z of the normal distribution whose tail is as unlikely as that nearly all of `rows`
  // consecutive samples lie `change` or more under the upper quantile (with `upper`) or over the lower one.
  // Consecutive rows that deviate count as one event, because they are not independent.
  double z(bool upper, double change, size_t rows) const;
  // Returns the z for the number of a machine's newest `rows` samples that deviate by `change` or more. The
  // probability of each is the share of earlier samples that do so, or else the share of the peers that do so
  // in the same row, whichever makes all of them together less likely. Returns z(upper, change, rows) when
  // fewer rows are stored.
  double z_of(size_t machine, bool upper, double change, size_t rows) const;
  // Returns the range of healthy samples of a metric with few values, which bounds how far the mean of a
  // window moves by chance. 0: unknown.
  double range() const {
    return std::max(0.0, most_ - least_);
  }
  void widen(double least, double most);
  // Returns the least change whose z over `rows` rows is at least `z`, infinity when there is none.
  double least_change(bool upper, double z, size_t rows) const;

 private:
  static constexpr size_t kSizes = 40;       // classes of deviations, each 1.2 times the one before
  static size_t sizes_up_to(double change);  // number of classes that are no larger
  using Counts = std::array<double, kSizes>;
  using Sizes = std::array<uint8_t, 2>;
  struct Row {
    explicit Row(size_t count)
        : sizes(count) {
    }
    std::vector<Sizes> sizes;
    std::array<Counts, 2> counts{};
    double machines = 0;
  };
  struct Chance {
    double p = 1;         // probability that one sample deviates
    double together = 1;  // mean number of consecutive rows that count as one event
  };
  static Sizes sizes_of(double under_upper, double over_lower);
  Chance chance(bool upper, size_t sizes) const;
  std::array<Counts, 2> counts_{};
  std::array<Counts, 2> starts_{};  // number of runs of consecutive such samples
  std::vector<Sizes> last_;         // by machine: classes of the previous sample
  double rows_ = 0;
  std::deque<Row> newest_;  // the newest first
  size_t seen_ = 0;         // rows
  double least_ = INFINITY;
  double most_ = -INFINITY;
};

}  // namespace lento::fleet
