// Random service times that depend only on the served object: a draw is a function of (seed, key), not of the
// order of events. Two runs that differ in one fault therefore have the same noise everywhere (paired
// comparison, replay of hypotheses), and no run depends on the number of threads.
//
// A draw picks one of 4096 equally likely values, each the mean of the distribution over its share of the
// probability: the mean is exact, the standard deviation within 0.1 %.
#pragma once

#include <array>
#include <cstdint>

#include "base/rng.h"

namespace lento::chip {

class Noise {
 public:
  static constexpr int kValues = 4096;

  // Gamma factors have mean 1 and the coefficient of variation `cv` (0: always 1).
  explicit Noise(double cv);

  static uint64_t key(uint64_t seed, uint64_t a, uint64_t b) {
    return base::mix64(seed ^ base::mix64(a * 0x9e3779b97f4a7c15ULL ^ b));
  }
  float gamma(uint64_t key) const {
    return gamma_[key >> 52];
  }
  float normal(uint64_t key) const {
    return normal_[key >> 52];
  }  // mean 0, deviation 1

 private:
  std::array<float, kValues> gamma_;
  std::array<float, kValues> normal_;
};

}  // namespace lento::chip
