// Counts how often single samples of healthy machines deviate, which limits how unlikely a window can be in
// which nearly all of them do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::fleet {

inline constexpr double kLeastSpread = 1e-3;  // of a level: finer differences harm nobody

// Counts healthy rows by their distance under (over) the machine's own usual upper (lower) quantile: how
// often single samples deviate by chance as much as a whole window did.
class Dips {
 public:
  Dips() = default;
  explicit Dips(size_t machines)
      : last_(machines) {
  }
  // The next row of a machine.
  void add(size_t machine, double under_upper, double over_lower);
  // Returns the z of the normal distribution whose tail is as unlikely as that nearly all of `rows`
  // consecutive samples deviate by `change` or more (upwards with `upper`). Consecutive rows that deviate
  // count as one event, because they are not independent.
  double z(bool upper, double change, size_t rows) const;
  // Returns the least change of so many rows whose z is no less, infinity when there is none.
  double least_change(bool upper, double z, size_t rows) const;

 private:
  static constexpr size_t kSizes = 20;       // each 1.4 times the one before
  static size_t sizes_up_to(double change);  // how many are no larger
  using Counts = std::array<double, kSizes>;
  std::array<Counts, 2> counts_{};
  std::array<Counts, 2> starts_{};            // of runs of such rows
  std::vector<std::array<uint8_t, 2>> last_;  // sizes of the row before
  double rows_ = 0;
};

}  // namespace lento::fleet
