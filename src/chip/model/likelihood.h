// The joint model of one run: nuisances, parts and noise in one robust weighted least squares.
//
//   log(sum of durations / sum of expectations) of cell i
//       = offset_i(part, factor, interval) + sum_k n_ik eta_k + e_i
//
// eta: chip clock with drift of third order, scale of each class, start-up, hops, scratchpads, settings of
// the chip, and a rate of its own for each part around its class. e: Student's t by record, with the variance
// of healthy draws, of the timer's grain, of what queues do beyond the first order, and one more for each
// kind of record that is estimated with the fit. A part's own rates have the variance of their class,
// estimated by medians, so that one slow part is no spread. Sources: Lange, Little, Taylor 1989 (t by
// reweighting); Henderson 1975 (own rates).
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

// The columns of eta.
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
  double deviation = 0;
};

struct Solution {
  std::vector<double> eta;  // nuisances, settings of the dictionary, then parts by their column
  std::vector<double> variance;
  double log_likelihood = 0;
  std::array<double, 4> misfit{};  // deviation beyond healthy draws, by kind of record
  std::array<double, 4> spread{};  // of own rates: cores, links, memory units, ports
  std::vector<double> residual;    // by row
  std::vector<double> weight;      // by row, inverse variance
  std::vector<double> bend;        // by row, variance of what the first order may be wrong by
  double shift_error = 0;          // of simulated shifts, relative
  // Slowness of each class against the file, the clock's included, with its deviation: cores, links, memory
  // units, DRAM ports. Clock and classes alone are told apart by their priors.
  std::array<Effect, 4> classes{};

  Effect of(Nuisance n) const {
    return {eta[size_t(n)], std::sqrt(variance[size_t(n)])};
  }
};

class Likelihood {
 public:
  static constexpr double kAnySetting = 0.5;
  static constexpr double kSameSetting = 0.05;

  // `middle` of the sums is in cycles of the recorder. Both outlive this.
  Likelihood(const Dictionary& dictionary, const CellSums& sums, uint64_t grain);

  // `offset`: what is already explained, by cell of the dictionary; NaN leaves the cell out; empty: nothing.
  // `start`: variances and
  // first weights of an earlier fit, which are kept.
  Solution fit(std::span<const double> offset = {}, const Solution* start = nullptr) const;

  // Lets issue window and buffers lie this far from the expectation, deviation of their log. A wide one
  // allows any value, to first order. A narrow one is for what lies between two whole numbers.
  void let_settings_differ(double deviation) {
    settings_prior_ = deviation;
  }

  // Expects `shift` more of every cell of the dictionary: what another setting or slow parts of the chip
  // change. `noise`: variance of cells that moved, times that of the file's chip.
  void expect(std::span<const float> shift, double noise = 1);

  size_t rows() const {
    return cell_.size();
  }
  size_t cell(size_t row) const {
    return cell_[row];
  }
  int64_t row_of(uint32_t cell) const {
    return row_of_cell_[cell];
  }
  // Share of the run, 0..1.
  double time(size_t row) const {
    return time_[row];
  }
  double end_cycles() const {
    return end_;
  }
  const Dictionary& dictionary() const {
    return dictionary_;
  }
  // Log drift and clock of this fit at a share of the run.
  static double clock_at(const Solution& s, double time);
  // Expected log ratio of a row under the nuisances alone.
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
  // Lower triangle of the normal equations with the weights of a solution, priors included.
  evidence::Matrix normal(const Solution& s) const;
  // Prior precision of each column under these spreads.
  std::vector<double> precision(const std::array<double, 4>& spread) const;

 private:
  double variance(const Solution& s, size_t row) const;
  void estimate_bends(Solution& s) const;
  void estimate_shift_error(Solution& s) const;
  void estimate_misfit(Solution& s) const;
  void estimate_spread(Solution& s) const;
  void part_clock_and_classes(Solution& s) const;
  void solve(Solution& s, std::span<const double> y, int rounds) const;

  const Dictionary& dictionary_;
  size_t columns_ = 0;
  size_t first_part_ = 0;
  double settings_prior_ = kAnySetting;
  std::vector<uint8_t> class_of_part_;
  double end_ = 1;
  std::vector<uint32_t> cell_;
  std::vector<int64_t> row_of_cell_;  // -1: nothing recorded
  std::vector<double> y_;             // against the file's chip
  std::vector<double> shift_;         // that is expected beyond
  double shift_noise_ = 1;
  std::vector<double> time_;
  std::vector<double> variance_;  // of healthy draws and grain
  std::vector<double> freedom_;
  std::vector<uint8_t> kind_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> begin_;
  std::vector<Entry> reached_;  // of parts that do not serve the row's records
  std::vector<uint32_t> reached_begin_;
};

}  // namespace lento::chip
