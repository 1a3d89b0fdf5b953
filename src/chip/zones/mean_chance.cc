// Finds the tilt t at which the mean of the weighted peers equals that of the records, by bisection.
#include "chip/zones/mean_chance.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lento::chip {

double mean_chance(std::span<const double> own, std::span<const double> peers) {
  double mean = 0;
  for (const double v : own)
    mean += std::exp(v) / double(own.size());
  double most = 0;
  for (const double v : peers)
    most = std::max(most, std::exp(v));
  if (peers.empty() || own.empty())
    return 1;
  if (mean > most)
    return 0;
  // The mean of the peers' durations under weights exp(t duration), and the logarithm of M(t).
  const auto tilted = [&](double t) {
    double weights = 0;
    double sum = 0;
    for (const double v : peers) {
      const double weight = std::exp(t * (std::exp(v) - most));
      weights += weight;
      sum += weight * std::exp(v);
    }
    return std::pair{sum / weights, std::log(weights / double(peers.size())) + t * most};
  };
  if (tilted(0).first >= mean)
    return 1;
  double low = 0;
  double high = 1;
  constexpr double kMost = 1e9;
  while (high < kMost && tilted(high).first < mean)
    high *= 2;
  for (int step = 0; step < 40; ++step) {
    const double t = (low + high) / 2;
    (tilted(t).first < mean ? low : high) = t;
  }
  return std::exp(-double(own.size()) * (high * mean - tilted(high).second));
}

}  // namespace lento::chip
