// Seeded random numbers that are the same on every machine and library.
//
// A stream is named: Rng(seed, "chip.link", 5) never depends on how often another stream was drawn, so
// results do not change with thread count or with the order of work. Generator: xoshiro256** (Blackman,
// Vigna) seeded by splitmix64; draws are our own because std distributions differ between libraries.
#pragma once

#include <cstdint>
#include <string_view>

namespace lento::base {

// One step of splitmix64, which maps any input to 64 well-mixed bits.
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

uint64_t hash_text(std::string_view text);  // FNV-1a then mix64

class Rng {
 public:
  explicit Rng(uint64_t seed, std::string_view stream = {}, uint64_t index = 0);

  uint64_t next();                 // 64 uniform bits
  uint64_t below(uint64_t bound);  // uniform in [0, bound), unbiased; bound >= 1
  double uniform();                // [0, 1), 53 bits
  double uniform(double low, double high) {
    return low + (high - low) * uniform();
  }
  double normal(double mean = 0, double deviation = 1);
  double gamma(double shape, double scale);  // shape > 0 (Marsaglia, Tsang 2000)
  double exponential(double mean);

 private:
  uint64_t state_[4];
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace lento::base
