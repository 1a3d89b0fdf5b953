// Tabulates equally likely values of the gamma and the normal distribution by integrating their densities on
// a fine grid. Each value is the mean over its share, so the mean of all is exact.
#include "chip/sim/noise.h"

#include <cmath>

namespace lento::chip {
namespace {

// Cuts a density on [low, high] into equally likely shares and stores the mean of each. The density need not
// be normalised. Midpoint rule on a fine grid, in which cells that straddle two shares are divided between
// them.
template <class Density>
void shares(Density density, double low, double high, std::array<float, Noise::kValues>& out) {
  constexpr int kCells = 1 << 17;
  const double width = (high - low) / kCells;
  double total = 0;
  for (int i = 0; i < kCells; ++i)
    total += density(low + (i + 0.5) * width);
  const double share = total / Noise::kValues;
  double collected = 0;
  double moment = 0;
  int next = 0;
  for (int i = 0; i < kCells; ++i) {
    const double x = low + (i + 0.5) * width;
    double mass = density(x);
    while (collected + mass >= share && next < Noise::kValues - 1) {
      const double taken = share - collected;
      out[next++] = float((moment + taken * x) / share);
      mass -= taken;
      collected = moment = 0;
    }
    collected += mass;
    moment += mass * x;
  }
  while (next < Noise::kValues)
    out[next++] = float(collected > 0 ? moment / collected : high);
}

// Scales the values to mean 1. A gamma density of shape below 1 has no bound at 0, where the grid is too
// coarse, and the part that the grid misses would raise the mean.
void scale_to_mean_one(std::array<float, Noise::kValues>& values) {
  double sum = 0;
  for (const float v : values)
    sum += v;
  for (float& v : values)
    v = float(v * Noise::kValues / sum);
}

}  // namespace

Noise::Noise(double cv) {
  static const std::array<float, kValues> kNormal = [] {
    std::array<float, kValues> out;
    shares(
        [](double x) {
          return std::exp(-0.5 * x * x);
        },
        -6,
        6,
        out);
    return out;
  }();
  normal_ = kNormal;
  if (cv <= 0) {
    gamma_.fill(1.0f);
    return;
  }
  const double shape = 1 / (cv * cv);
  const double rate = shape;
  shares(
      [&](double x) {
        return std::exp((shape - 1) * std::log(x / 1.0) - rate * (x - 1));
      },
      0,
      1 + 12 * cv + 8 * cv * cv,
      gamma_);
  if (shape < 1)
    scale_to_mean_one(gamma_);
}

}  // namespace lento::chip
