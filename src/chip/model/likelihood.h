// The joint model of one run: nuisances, deviations of parts and noise in one robust weighted least-squares
// fit.
//
//   log(sum of durations / sum of expectations) of cell i
//       = offset_i(part, factor, interval) + sum_k n_ik eta_k + e_i
//
// A row of the fit is a cell with records in this run, a column is one coefficient eta_k, and n_ik is the
// sensitivity of the row to it. The columns are: chip clock with drift of third order, scale of each class,
// start-up, hops, scratchpads, settings of the chip, and a deviation of each part from its class. The noise
// e_i has Student's t distribution. Its variance is the sum of those of healthy draws, of the timer's step,
// of the first-order error in queues, and of an excess deviation. That is the standard deviation that a kind
// of record has beyond all these, and is estimated for each kind. The deviations of parts have the variance
// of their class, which is estimated by medians, so that one slow part does not widen it. Sources: Lange,
// Little, Taylor 1989 (t by reweighting); Henderson 1975 (random effects).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "chip/detect/path.h"
#include "chip/model/dictionary.h"
#include "evidence/matrix.h"

namespace lento::chip {

// The nuisances of the whole chip: the first coefficients of the fit (Solution::eta), each a log of a factor.
enum class Nuisance : uint8_t {
  Clock,
  Drift,
  Drift2,
  Drift3,
  Cores,
  Links,
  MemoryUnits,
  Ports,
  StartUp,
  Hops,
  Scratchpads
};
inline constexpr size_t kNuisances = 11;

struct Effect {
  double log_factor = 0;
  double deviation = 0;  // standard deviation of log_factor
};

struct Solution {
  std::vector<double> eta;       // nuisances, then settings of the dictionary, then parts by column
  std::vector<double> variance;  // by coefficient of eta
  double log_likelihood = 0;     // coefficients integrated out (Laplace), so that a wide prior is penalised
  // Standard deviation of log durations beyond the other terms of the variance, by kind of record.
  std::array<double, 4> excess_deviation{};
  // Mean deviance of the rows (twice the log-likelihood that a row loses by its residual) under variances
  // without the excess deviation, by kind of record. It is about 1 for a run that resembles healthy draws.
  std::array<double, 4> deviance{};
  // Standard deviation of the log rates of the parts of a class around it: cores, links, memory units, DRAM
  // ports.
  std::array<double, 4> spread{};
  std::vector<double> residual;              // by row: log(durations / expectation) that the fit leaves
  std::vector<double> weight;                // by row, inverse variance
  std::vector<double> first_order_variance;  // by row: variance of the error of first-order sensitivities
  double shift_error = 0;                    // relative error of simulated shifts
  // Log slowness of each class against the chip file: cores, links, memory units, DRAM ports. It includes the
  // slowness of the clock, because only the priors separate the two.
  std::array<Effect, 4> classes{};

  Effect of(Nuisance n) const {
    return {eta[size_t(n)], std::sqrt(variance[size_t(n)])};
  }
};

class Likelihood {
 public:
  static constexpr double kAnySetting = 0.5;
  static constexpr double kSameSetting = 0.05;

  // `sums` holds the records of one run by cell, its times in cycles of the recorder's clock. `grain` is the
  // step of the recorder's timer in cycles. `dictionary` and `sums` must outlive the object.
  Likelihood(const Dictionary& dictionary, const CellSums& sums, uint64_t grain);

  // Fits the run. `offset` holds by cell the part of log(durations / expectation) that is explained already.
  // NaN leaves the cell out. Empty: 0 for all cells. `start` is an earlier fit, with whose variances and
  // weights the estimation begins.
  Solution fit(std::span<const double> offset = {}, const Solution* start = nullptr) const;

  // Sets the prior standard deviation of the log of the issue window and of the number of buffers.
  // kAnySetting lets the linear columns of the fit explain any value. kSameSetting lets them explain only
  // deviations that are smaller than the step to the next whole number, which is simulated itself.
  void let_settings_differ(double deviation) {
    settings_prior_ = deviation;
  }

  // Sets by cell the change of the expected log ratio by another setting or by slow parts, in place of an
  // earlier one. `noise` is by cell the variance of a run over that on the file's chip. Empty: 1.
  void expect(std::span<const float> shift, std::span<const float> noise = {});

  size_t rows() const {
    return cell_.size();
  }
  size_t cell(size_t row) const {
    return cell_[row];
  }
  int64_t row_of(uint32_t cell) const {
    return row_of_cell_[cell];
  }
  // Returns the mean time of the records of a row, 0 to 1 as a share of end_cycles().
  double time(size_t row) const {
    return time_[row];
  }
  double freedom(size_t row) const {
    return freedom_[row];
  }
  double end_cycles() const {
    return end_;
  }
  const Dictionary& dictionary() const {
    return dictionary_;
  }
  // Returns the log of the slowness of the fitted clock, with its drift, at a time that is given as a share
  // of the run.
  static double clock_at(const Solution& s, double time);
  // Returns the part of the log ratio (durations over expectation) of a row that the nuisances explain.
  double explained(const Solution& s, size_t row) const;

  struct Entry {
    uint32_t column = 0;
    float value = 0;
  };
  std::span<const Entry> row(size_t r) const {
    return std::span(entries_).subspan(begin_[r], begin_[r + 1] - begin_[r]);
  }
  size_t columns() const {
    return columns_;
  }
  // Returns the variance of a row's noise under a solution.
  double variance(const Solution& s, size_t row) const;
  // Returns the lower triangle of the normal equations with the weights of a solution, including the priors.
  evidence::Matrix normal(const Solution& s) const;
  // Returns the prior precision (inverse variance) of each column when the parts of each class have these
  // standard deviations around it.
  std::vector<double> precision(const std::array<double, 4>& spread) const;

 private:
  void estimate_first_order_variance(Solution& s) const;
  void estimate_shift_error(Solution& s) const;
  void center_by_kind(Solution& s) const;
  void estimate_excess_deviation(Solution& s) const;
  void estimate_spread(Solution& s) const;
  void part_clock_and_classes(Solution& s) const;
  void measure_deviance(Solution& s, std::span<const double> y) const;
  void solve(Solution& s, std::span<const double> y, int rounds) const;

  const Dictionary& dictionary_;
  size_t columns_ = 0;
  size_t first_part_ = 0;
  double settings_prior_ = kAnySetting;
  std::vector<uint8_t> class_of_part_;
  double end_ = 1;
  std::vector<uint32_t> cell_;
  std::vector<int64_t> row_of_cell_;  // -1: no record in the cell
  std::vector<double> y_;             // log ratio against the file's chip
  std::vector<double> shift_;         // expected shift of the log ratio
  std::vector<double> shift_noise_;   // variance of the shifted row over that in the file's chip
  std::vector<double> time_;
  std::vector<double> variance_;  // of healthy draws and the timer's step
  std::vector<double> freedom_;
  std::vector<uint8_t> kind_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> begin_;
  std::vector<Entry> reached_;  // parts that the row's records only wait for
  std::vector<uint32_t> reached_begin_;
};

}  // namespace lento::chip
