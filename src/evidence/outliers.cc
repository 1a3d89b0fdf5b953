// Implements Rosner's procedure: the most deviating candidates are removed one by one. The last candidate
// that still deviates significantly from the rest determines the number of outliers.
#include "evidence/outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evidence/distribution.h"
#include "evidence/sample.h"

namespace lento::evidence {
namespace {

constexpr size_t kFewest = 4;

// Returns how far a value lies on the bad side of the centre.
double distance(double value, double centre, Side side) {
  switch (side) {
    case Side::Low:
      return centre - value;
    case Side::High:
      return value - centre;
    default:
      return std::abs(value - centre);
  }
}

}  // namespace

double student_tail(double t, double freedom) {
  if (std::isnan(t) || freedom <= 0)
    return 1;
  if (std::isinf(t))
    return t > 0 ? 0 : 1;
  const double half = 0.5 * beta_cdf(freedom / (freedom + t * t), freedom / 2, 0.5);
  return t > 0 ? half : 1 - half;
}

// Returns the outliers among the values of peers. The probability of a false alarm is bounded by its sum over
// all values, sides and removals.
std::vector<Outlier> outliers(std::span<const double> values, Side side, double false_alarms, Floor floor) {
  std::vector<Outlier> found;
  const size_t fewest = floor.is_known ? kFewest - 1 : kFewest;
  if (values.size() < fewest)
    return found;
  std::vector<size_t> left(values.size());
  std::iota(left.begin(), left.end(), size_t{0});
  const size_t most = std::max<size_t>(1, values.size() / 4);
  size_t real = 0;
  for (size_t taken = 0; taken < most && left.size() >= fewest; ++taken) {
    std::vector<double> now;
    for (const size_t i : left)
      now.push_back(values[i]);
    const double centre = median(now);
    const auto far = std::ranges::max_element(left, {}, [&](size_t i) {
      return distance(values[i], centre, side);
    });
    const size_t candidate = *far;
    left.erase(far);
    now.clear();
    for (const size_t i : left)
      now.push_back(values[i]);
    const double centre_of_rest = mean(now);
    const double own = std::sqrt(variance(now));
    const bool is_floor = floor.is_known && own == 0;
    const double spread = std::max(own, floor.spread);
    const double apart = distance(values[candidate], centre_of_rest, side);
    const double n = double(now.size());
    Outlier outlier{candidate, 0, 1};
    if (apart > 0) {
      outlier.t = apart / (spread * std::sqrt(1 + 1 / n));
      const double sides = side == Side::Both ? 2 : 1;
      const double tail = is_floor                    ? std::erfc(outlier.t / std::sqrt(2.0)) / 2
                          : now.size() >= kFewest - 1 ? student_tail(outlier.t, n - 1)
                                                      : 1;
      outlier.false_alarm = std::min(1.0, double(most) * sides * (n + 1) * tail);
    }
    found.push_back(outlier);
    if (outlier.false_alarm <= false_alarms)
      real = found.size();
  }
  found.resize(real);
  return found;
}

}  // namespace lento::evidence
