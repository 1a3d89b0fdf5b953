// Evidence that may be looked at after every observation: what a watch that never ends may count on.
//
// An e-process is a wager against "healthy" that does not grow on average while all is healthy. Ville: the
// chance that it ever reaches 1 / budget is at most `budget`, however often it is looked at. A detector of
// changes restarts the wager at every step: its mean number of steps between false alarms is at least the
// level at which it alarms. Averages of e-processes of several parts or metrics are e-processes, whatever
// their dependence. Sources: Ville 1939, Robbins 1970, Shafer and Vovk 2019, Waudby-Smith and Ramdas 2024
// (bets), Shin, Ramdas, Rinaldo 2024 (changes), Vovk and Wang 2021 (chances into e-values). Values are plain
// members: a watch can store them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lento::evidence {

// Observations in deviations above expectation, given the past at most normal with mean 0 and deviation 1
// when healthy, or with a lower mean. The wager is spread over positive effects by a half-normal law of
// deviation `effect`, the size that is to be found fastest.
struct NormalMixture {
  double effect = 1;
  double sum = 0;
  uint64_t count = 0;

  void add(double deviations);
  double log_value() const;  // natural logarithm of the e-process
};

// Observations in [0, 1] (others are clamped), of any law, with mean at most `healthy_mean` in (0, 1) given
// the past. The wager is split evenly over bets of all sizes.
struct BoundedBets {
  static constexpr size_t kBets = 16;
  double healthy_mean = 0.5;
  std::array<double, kBets> log_wealth{};

  void add(double value);
  double log_value() const;
};

// Shiryaev and Roberts' sum over all possible starts of a change. Alarm at `value >= steps`: at least `steps`
// steps on average between false alarms.
struct ChangeWatch {
  double value = 0;
  void add(double e);  // e >= 0 with mean at most 1 given the past while healthy
};

// The e-value of one observation for a rise of the mean by `effect` deviations.
double normal_e(double deviations, double effect);

// An e-value from a chance (p-value): the average of k p^(k-1) over k, infinity for 0.
double e_of_chance(double p);

}  // namespace lento::evidence
