// Draws seeded random numbers. Generator: xoshiro256** (Blackman, Vigna 2018). Normal draws: polar method
// (Marsaglia 1964). Gamma draws: Marsaglia, Tsang 2000. Bounded integers reject the remainder of 2^64, so
// that no result is favoured.
#include "base/rng.h"

#include <bit>
#include <cmath>

namespace lento::base {

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix64(hash);
}

Rng::Rng(uint64_t seed, std::string_view stream, uint64_t index) {
  uint64_t x = mix64(mix64(seed) ^ hash_text(stream)) ^ mix64(index + 0x51ed270b);
  for (uint64_t& word : state_)
    word = x = mix64(x);
}

uint64_t Rng::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Rng::below(uint64_t bound) {
  const uint64_t limit = -bound % bound;  // values under it would favour small results
  for (;;) {
    const uint64_t x = next();
    if (x >= limit)
      return x % bound;
  }
}

double Rng::uniform() {
  return double(next() >> 11) * 0x1p-53;
}

// Returns a normally distributed number (Marsaglia's polar method).
double Rng::normal(double mean, double deviation) {
  if (has_spare_) {
    has_spare_ = false;
    return mean + deviation * spare_normal_;
  }
  double u;
  double v;
  double s;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double factor = std::sqrt(-2 * std::log(s) / s);
  spare_normal_ = v * factor;
  has_spare_ = true;
  return mean + deviation * u * factor;
}

double Rng::gamma(double shape, double scale) {
  if (shape < 1)
    return gamma(shape + 1, scale) * std::pow(uniform(), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0)
      continue;
    const double v = t * t * t;
    const double u = 1 - uniform();
    if (std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)))
      return d * v * scale;
  }
}

double Rng::exponential(double mean) {
  return -mean * std::log(1 - uniform());
}

}  // namespace lento::base
