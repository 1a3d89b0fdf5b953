// Estimates the spread and the tail of the differences between a healthy machine's window and its past, for
// one statistic and one length of window.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lento::fleet {

// The differences of all machines' windows are pooled, because machines of one job are exchangeable. A
// machine that is noisier than its peers keeps a larger spread of its own (Smyth 2004, moderated t). Memory:
// three numbers per machine and the largest hundred differences.
class Noise {
 public:
  explicit Noise(size_t machines)
      : squares_(machines, 0),
        counts_(machines, 0),
        expected_(std::make_shared<std::vector<float>>(machines, 1.0F)) {
  }

  // Adds the difference between a healthy window and its past. `size` is the difference in the direction
  // that is tested, negative for one in the other direction. A difference that is not finite, such as a
  // ratio to peers that are all equal, is ignored. `past` is the number of cells in the machine's past.
  void learn(size_t machine, double difference, double size, double past);
  void refresh();  // call after learn() for all machines at one time
  // Sets each machine's expected variance, in multiples of its peers', which its many single cells show, for
  // this noise and its copies.
  void expect(std::vector<float> times) {
    *expected_ = std::move(times);
  }
  double expected(size_t machine) const {
    return double((*expected_)[machine]);
  }

  // One of the largest differences of healthy machines.
  struct Large {
    float size = 0;
    uint32_t machine = 0;
  };
  // The largest differences, saved for a restart: the spread is soon learned again, the tail is not.
  struct Tail {
    double learnt = 0;  // number of all differences, the largest of which `largest` holds
    std::vector<Large> largest;
  };
  Tail tail() const {
    return {learnt_, largest_};
  }
  void add_tail(const Tail& tail);

  bool known(size_t moments = 2) const;  // whether enough was learned, at this number of times or more
  double variance() const {              // pooled over the machines
    return pooled_;
  }
  double spread(size_t machine) const;
  double freedom(size_t machine) const;
  // Returns the threshold that corresponds to `z` of a normal distribution. It is larger where the tail of
  // the learnt differences is heavier, and never below the largest difference of a healthy machine.
  double threshold(double z) const;

 private:
  // A regression of squared differences on the length of the past.
  struct Line {
    double count = 0;
    double past = 0;  // means
    double square = 0;
    double pasts = 0;  // variances and covariance
    double squares = 0;
    double together = 0;
    double newest = 0;  // the last past that was learned
    void learn(double past, double square, double memory);
    // Returns the square at the newest past over the mean square, at least 1, by a slope that is surely
    // smaller than the true one.
    double growth() const;
  };
  void measure_tail();
  void keep_large(const Large& large);
  std::vector<float> squares_;                    // mean square of a machine's differences
  std::vector<uint16_t> counts_;                  // number of them, as far as they weigh
  std::shared_ptr<std::vector<float>> expected_;  // multiples of the pooled variance
  std::vector<Large> largest_;                    // by falling size
  std::vector<double> z_;                         // z of the largest sizes by the present spread, falling
  size_t extremes_ = 0;                           // number of them from which the tail is estimated
  double learnt_ = 0;                             // number of differences from which the largest are kept
  double seen_ = 0;                               // number of differences in the spread
  size_t rounds_ = 0;                             // number of moments in the spread
  double within_ = 0;  // squared distances of the squares from their machine's mean
  double pooled_ = 0;  // variance
  Line line_;
  double growth_ = 1;         // variance with the present past, in multiples of the mean of all differences
  double prior_freedom_ = 0;  // degrees of freedom of the pooled variance as prior of one machine's
  double slope_ = 1;
  double anchor_ = 1;  // the normal distribution's value for the least of the extremes
};

// The variance of differences of all machines together, for a statistic whose tail is not needed.
class PooledNoise {
 public:
  // Adds a healthy difference of one of `machines`, whose variance is expected to be `times` its peers'.
  void learn(double difference, double times, size_t machines);
  double variance() const {
    return variance_;
  }
  double spread(double times) const {
    return std::sqrt(variance_ * times);
  }

 private:
  double variance_ = 0;
  double count_ = 0;
};

}  // namespace lento::fleet
