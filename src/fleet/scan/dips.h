// Counts how often single samples of healthy machines deviate, which limits how unlikely a window can be in
// which nearly all of them do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace lento::fleet {

inline constexpr double kLeastSpread = 1e-3;  // of a level: finer differences harm nobody

// Counts healthy rows by their distance under (over) the machine's own usual upper (lower) quantile: how
// often single samples deviate by chance as much as a whole window did.
class Dips {
 public:
  Dips() = default;
  // Of the last `rows_kept` rows it is kept which machines deviated.
  explicit Dips(size_t machines, size_t rows_kept = 0)
      : last_(machines),
        newest_(rows_kept, Row(machines)) {
  }
  // The next healthy row of a machine.
  void add(size_t machine, double under_upper, double over_lower);
  // The newest row, which may hold a fault: one call for each machine after begin_row().
  void begin_row();
  void see(size_t machine, double under_upper, double over_lower);
  // Returns the z of the normal distribution whose tail is as unlikely as that nearly all of `rows`
  // consecutive samples deviate by `change` or more (upwards with `upper`). Consecutive rows that deviate
  // count as one event, because they are not independent.
  double z(bool upper, double change, size_t rows) const;
  // The same for the newest rows of a machine, with as many of them as deviate, and with the share of peers
  // that deviate in each of these rows where that is less likely. z(upper, change, rows) when not so many
  // rows are kept.
  double z_of(size_t machine, bool upper, double change, size_t rows) const;
  // The extent of healthy samples of few values, by which the mean of a window may move by chance. 0:
  // unknown.
  double range() const {
    return std::max(0.0, most_ - least_);
  }
  void widen(double least, double most);
  // Returns the least change of so many rows whose z is no less, infinity when there is none.
  double least_change(bool upper, double z, size_t rows) const;

 private:
  static constexpr size_t kSizes = 40;       // each 1.2 times the one before
  static size_t sizes_up_to(double change);  // how many are no larger
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
    double p = 1;         // of one sample
    double together = 1;  // consecutive rows that count as one
  };
  static Sizes sizes_of(double under_upper, double over_lower);
  Chance chance(bool upper, size_t sizes) const;
  std::array<Counts, 2> counts_{};
  std::array<Counts, 2> starts_{};  // of runs of such rows
  std::vector<Sizes> last_;         // sizes of the row before
  double rows_ = 0;
  std::deque<Row> newest_;  // the newest first
  size_t seen_ = 0;         // rows
  double least_ = INFINITY;
  double most_ = -INFINITY;
};

}  // namespace lento::fleet
