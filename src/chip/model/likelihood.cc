// Normal equations are summed from sparse rows and solved by Cholesky: a record depends on few parts, and the
// prior of each column keeps the equations well conditioned. weights of Student's t, excess deviation and
// spread are estimated in turns with the coefficients.
#include "chip/model/likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/normal_factor.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

// Degrees of freedom of Student's t for one record. They are so few that a single outlier changes little.
constexpr double kFreedomOfRecord = 4;
constexpr int kRounds = 8;        // rounds of estimating variances
constexpr int kReweightings = 3;  // reweightings in each round

// Returns the median of the square of a Student's t variable: that of a normal plus its first-order term in
// 1 / freedom.
double median_square(double freedom) {
  return 0.455 + 0.376 / freedom;
}

}  // namespace

Likelihood::Likelihood(const Dictionary& d, const CellSums& sums, uint64_t grain)
    : dictionary_(d) {
  first_part_ = kNuisances + d.settings.size();
  columns_ = first_part_ + d.columns.parts();
  class_of_part_.resize(d.columns.parts());
  for (uint32_t p = 0; p < class_of_part_.size(); ++p)
    class_of_part_[p] = uint8_t(d.columns.class_of(p));
  row_of_cell_.assign(d.cells.size(), -1);
  for (size_t c = 0; c < d.cells.size(); ++c)
    if (sums.records[c] > 0)
      end_ = std::max(end_, sums.middle[c]);
  for (size_t c = 0; c < d.cells.size(); ++c) {
    if (sums.records[c] == 0)
      continue;
    const Dictionary::Cell& cell = d.cells[c];
    const double records = sums.records[c];
    const double mean = cell.cycles / std::max(1U, cell.records);
    row_of_cell_[c] = int64_t(cell_.size());
    cell_.push_back(uint32_t(c));
    y_.push_back(sums.log_ratio[c] - cell.center);
    time_.push_back(sums.middle[c] / end_);
    const double ticks = double(grain) / mean;
    variance_.push_back(
        cell.variance * cell.records / records + (grain > 1 ? ticks * ticks / 6 / records : 0));
    freedom_.push_back(kFreedomOfRecord * records);
    kind_.push_back(uint8_t(cell.kind));
    begin_.push_back(uint32_t(entries_.size()));
    const double u = time_.back() - 0.5;
    const auto add = [&](size_t column, double value) {
      if (value != 0)
        entries_.push_back({uint32_t(column), float(value)});
    };
    add(size_t(Nuisance::Clock), 1);
    add(size_t(Nuisance::Drift), u);
    add(size_t(Nuisance::Drift2), u * u - 1.0 / 12);
    add(size_t(Nuisance::Drift3), u * u * u);
    for (const Dictionary::Share& s : d.shares_of(cell))
      if (s.column >= d.columns.parts())
        add(size_t(Nuisance::StartUp) + s.column - d.columns.start_up(), s.sensitivity);
    for (size_t k = 0; k < cell.classes.size(); ++k)
      add(size_t(Nuisance::Cores) + k, cell.classes[k]);
    for (size_t k = 0; k < d.settings.size(); ++k)
      add(kNuisances + k, d.settings[k].shift[c] / std::abs(d.settings[k].step));
    reached_begin_.push_back(uint32_t(reached_.size()));
    for (const Dictionary::Share& s : d.shares_of(cell)) {
      if (s.column >= class_of_part_.size())
        continue;
      if (s.served)
        add(first_part_ + s.column, s.sensitivity);
      else
        reached_.push_back({s.column, s.sensitivity});
    }
    std::ranges::sort(entries_.begin() + begin_.back(), entries_.end(), {}, &Entry::column);
  }
  begin_.push_back(uint32_t(entries_.size()));
  reached_begin_.push_back(uint32_t(reached_.size()));
  shift_.assign(rows(), 0);
  shift_noise_.assign(rows(), 1);
}

void Likelihood::expect(std::span<const float> shift, std::span<const float> noise) {
  for (size_t r = 0; r < rows(); ++r) {
    shift_[r] = shift[cell_[r]];
    shift_noise_[r] = noise.empty() ? 1 : noise[cell_[r]];
  }
}

double Likelihood::variance(const Solution& s, size_t r) const {
  const double shift = s.shift_error * shift_[r];
  // A simulated shift is a difference of means over kShiftSeeds runs, so it adds their noise.
  const double drawn =
      shift_[r] != 0 ? variance_[r] * (shift_noise_[r] + (shift_noise_[r] + 1) / kShiftSeeds) : variance_[r];
  return drawn + s.first_order_variance[r] + shift * shift +
         s.excess_deviation[kind_[r]] * s.excess_deviation[kind_[r]];
}

// Estimates for each row the variance of the error of first-order sensitivities. eta is the log slowness of a
// part against the chip file. A wait for the part changes by its derivative times eta, with an error of the
// same size. When a part serves a share s of a duration, the share itself changes by s (1 - s) eta.
void Likelihood::estimate_first_order_variance(Solution& s) const {
  const auto differs = [&](uint32_t part) {
    return s.eta[first_part_ + part] + s.classes[class_of_part_[part]].log_factor - s.eta[0];
  };
  for (size_t r = 0; r < rows(); ++r) {
    s.first_order_variance[r] = 0;
    for (uint32_t i = reached_begin_[r]; i < reached_begin_[r + 1]; ++i) {
      const double change = differs(reached_[i].column) * reached_[i].value;
      s.first_order_variance[r] += change * change;
    }
    for (const Entry& e : row(r)) {
      if (e.column < first_part_)
        continue;
      const double change = differs(e.column - uint32_t(first_part_)) * e.value * (1 - e.value);
      s.first_order_variance[r] += change * change;
    }
  }
}

std::vector<double> Likelihood::precision(const std::array<double, 4>& spread) const {
  // Standard deviation of the log of a class against the file: usually within a factor e^0.3.
  constexpr double kClassPrior = 0.3;
  std::vector<double> out(columns_, 1 / (kClassPrior * kClassPrior));
  for (size_t k = 0; k <= size_t(Nuisance::Drift3); ++k)
    out[k] = 1;
  for (size_t k = 0; k < dictionary_.settings.size(); ++k)
    if (dictionary_.settings[k].setting != ChipSetting::TransitVariation)
      out[kNuisances + k] = 1 / (settings_prior_ * settings_prior_);
  for (size_t p = 0; p < class_of_part_.size(); ++p) {
    const double tau = spread[class_of_part_[p]];
    out[first_part_ + p] = 1 / (tau * tau);
  }
  return out;
}

double Likelihood::clock_at(const Solution& s, double time) {
  const double u = time - 0.5;
  return s.eta[0] + s.eta[1] * u + s.eta[2] * (u * u - 1.0 / 12) + s.eta[3] * u * u * u;
}

evidence::Matrix Likelihood::normal(const Solution& s) const {
  evidence::Matrix out(columns_, columns_);
  for (size_t r = 0; r < rows(); ++r) {
    if (s.weight[r] == 0)
      continue;
    const std::span<const Entry> entries = row(r);
    for (size_t i = 0; i < entries.size(); ++i) {
      const double v = s.weight[r] * entries[i].value;
      for (size_t j = 0; j <= i; ++j)
        out(entries[i].column, entries[j].column) += v * entries[j].value;
    }
  }
  const std::vector<double> prior = precision(s.spread);
  for (size_t k = 0; k < columns_; ++k)
    out(k, k) += prior[k];
  return out;
}

double Likelihood::explained(const Solution& s, size_t r) const {
  double sum = 0;
  for (const Entry& e : row(r))
    sum += e.value * s.eta[e.column];
  return sum;
}

void Likelihood::solve(Solution& s, std::span<const double> y, int rounds) const {
  const std::vector<double> prior = precision(s.spread);
  for (int round = 0; round < rounds; ++round) {
    for (size_t r = 0; r < rows(); ++r) {
      if (std::isnan(y[r])) {
        s.weight[r] = s.residual[r] = 0;
        continue;
      }
      const double v = variance(s, r);
      s.weight[r] = (freedom_[r] + 1) / (freedom_[r] + s.residual[r] * s.residual[r] / v) / v;
    }
    std::vector<double> right(columns_);
    for (size_t r = 0; r < rows(); ++r)
      if (s.weight[r] > 0)
        for (const Entry& e : row(r))
          right[e.column] += s.weight[r] * e.value * y[r];
    const evidence::NormalFactor factor(normal(s));
    s.eta = factor.solve(right);
    for (size_t r = 0; r < rows(); ++r)
      s.residual[r] = std::isnan(y[r]) ? 0 : y[r] - explained(s, r);
    if (round + 1 < rounds)
      continue;
    s.variance = factor.variances();
    s.log_likelihood = -factor.log_determinant() / 2;
    for (size_t k = 0; k < s.classes.size(); ++k) {
      const size_t column = size_t(Nuisance::Cores) + k;
      s.classes[k] = {s.eta[0] + s.eta[column], std::sqrt(factor.variance_of_sum(0, column))};
    }
  }
  for (size_t r = 0; r < rows(); ++r) {
    if (std::isnan(y[r]))
      continue;
    const double v = variance(s, r);
    s.log_likelihood -=
        (freedom_[r] + 1) / 2 * std::log1p(s.residual[r] * s.residual[r] / (freedom_[r] * v)) +
        std::log(v) / 2;
  }
  for (size_t k = 0; k < columns_; ++k)
    s.log_likelihood += std::log(prior[k]) / 2 - prior[k] * s.eta[k] * s.eta[k] / 2;
}

// Removes from the residuals the median of each kind of record, so that a class that is slower as a whole
// does not count as noise of its records.
void Likelihood::center_by_kind(Solution& s) const {
  for (uint8_t kind = 0; kind < s.excess_deviation.size(); ++kind) {
    std::vector<double> of;
    for (size_t r = 0; r < rows(); ++r)
      if (kind_[r] == kind && !std::isnan(s.residual[r]))
        of.push_back(s.residual[r]);
    const double middle = evidence::median(of);
    for (size_t r = 0; r < rows(); ++r)
      if (kind_[r] == kind && !std::isnan(s.residual[r]))
        s.residual[r] -= middle;
  }
}

void Likelihood::estimate_excess_deviation(Solution& s) const {
  s.excess_deviation.fill(0);
  std::vector<double> without(rows());
  for (size_t r = 0; r < rows(); ++r)
    without[r] = variance(s, r);
  for (uint8_t kind = 0; kind < 4; ++kind) {
    std::vector<double> squares;
    for (size_t r = 0; r < rows(); ++r)
      if (kind_[r] == kind)
        squares.push_back(s.residual[r] * s.residual[r]);
    if (squares.empty())
      continue;
    double low = 0;
    double high = std::max(1e-8, 4 * evidence::median(squares));
    for (int step = 0; step < 30; ++step) {
      const double middle = (low + high) / 2;
      std::vector<double> ratios;
      for (size_t r = 0; r < rows(); ++r)
        if (kind_[r] == kind)
          ratios.push_back(
              s.residual[r] * s.residual[r] / (without[r] + middle) / median_square(freedom_[r]));
      (evidence::median(ratios) > 1 ? low : high) = middle;
    }
    s.excess_deviation[kind] = std::sqrt(low);
  }
}

// Estimates the spread of each class of parts. A part's rate without its prior, x with variance v, has the
// variance v + spread^2 around its class. The spread at which the median of the standardised squares is that
// of a normal distribution is taken. The part that deviates most is left out, so that one slow part does not
// widen its class, not even among few that the run shows.
void Likelihood::estimate_spread(Solution& s) const {
  constexpr double kLeast = 1e-3;
  constexpr double kMost = 0.3;  // the prior of a class
  struct Own {
    double square = 0;
    double variance = 0;
  };
  std::array<std::vector<Own>, 4> own;
  for (size_t p = 0; p < class_of_part_.size(); ++p) {
    const size_t k = class_of_part_[p];
    const double prior = s.spread[k] * s.spread[k];
    const double from_data = 1 - s.variance[first_part_ + p] / prior;
    if (from_data < 1e-6)
      continue;
    const double x = s.eta[first_part_ + p] / from_data;
    own[k].push_back({x * x, s.variance[first_part_ + p] / from_data});
  }
  for (size_t k = 0; k < own.size(); ++k) {
    const double before = s.spread[k] * s.spread[k];
    const auto most = std::ranges::max_element(own[k], {}, [before](const Own& o) {
      return o.square / (o.variance + before);
    });
    if (most != own[k].end())
      own[k].erase(most);
    double low = kLeast;
    double high = kMost;
    for (int step = 0; step < 20 && own[k].size() > 1; ++step) {
      const double middle = std::sqrt(low * high);
      std::vector<double> ratios;
      for (const Own& o : own[k])
        ratios.push_back(o.square / (o.variance + middle * middle));
      (evidence::median(ratios) > median_square(1e9) ? low : high) = middle;
    }
    s.spread[k] = own[k].size() > 1 ? low : kLeast;
  }
}

// Splits the parts' rates into clock, classes and deviations. A class takes what all its parts share. The
// clock takes what all classes share: their median, and of two middle classes the one nearer to the file.
void Likelihood::part_clock_and_classes(Solution& s) const {
  std::array<std::vector<double>, 4> own;
  for (size_t p = 0; p < class_of_part_.size(); ++p)
    if (const double eta = s.eta[first_part_ + p]; eta != 0)
      own[class_of_part_[p]].push_back(eta);
  std::array<double, 4> common{};
  for (size_t k = 0; k < own.size(); ++k) {
    common[k] = evidence::median(own[k]);
    s.classes[k].log_factor += common[k];
  }
  for (size_t p = 0; p < class_of_part_.size(); ++p)
    if (double& eta = s.eta[first_part_ + p]; eta != 0)
      eta -= common[class_of_part_[p]];
  std::array<double, 4> slowness{};
  for (size_t k = 0; k < slowness.size(); ++k)
    slowness[k] = s.classes[k].log_factor;
  std::ranges::sort(slowness);
  s.eta[0] = std::abs(slowness[1]) < std::abs(slowness[2]) ? slowness[1] : slowness[2];
  for (size_t k = 0; k < slowness.size(); ++k)
    s.eta[size_t(Nuisance::Cores) + k] = s.classes[k].log_factor - s.eta[0];
}

// Estimates the relative error of simulated shifts, which is proportional to the shift.
void Likelihood::estimate_shift_error(Solution& s) const {
  double best = -std::numeric_limits<double>::infinity();
  double error = 0;
  for (const double tried : {0.0, 0.03, 0.1, 0.3}) {
    s.shift_error = tried;
    double value = 0;
    for (size_t r = 0; r < rows(); ++r) {
      if (shift_[r] == 0)
        continue;
      const double v = variance(s, r);
      value -= (freedom_[r] + 1) / 2 * std::log1p(s.residual[r] * s.residual[r] / (freedom_[r] * v)) +
               std::log(v) / 2;
    }
    if (value <= best)
      continue;
    best = value;
    error = tried;
  }
  s.shift_error = error;
}

void Likelihood::measure_deviance(Solution& s, std::span<const double> y) const {
  std::array<double, 4> records{};
  s.deviance.fill(0);
  for (size_t r = 0; r < rows(); ++r) {
    if (std::isnan(y[r]))
      continue;
    const double v = variance(s, r) - s.excess_deviation[kind_[r]] * s.excess_deviation[kind_[r]];
    s.deviance[kind_[r]] += (freedom_[r] + 1) * std::log1p(s.residual[r] * s.residual[r] / (freedom_[r] * v));
    ++records[kind_[r]];
  }
  for (size_t kind = 0; kind < records.size(); ++kind)
    s.deviance[kind] /= std::max(1.0, records[kind]);
}

Solution Likelihood::fit(std::span<const double> offset, const Solution* start) const {
  std::vector<double> y = y_;
  for (size_t r = 0; r < rows(); ++r)
    y[r] -= shift_[r] + (offset.empty() ? 0 : offset[cell_[r]]);
  Solution s;
  if (start != nullptr) {
    s = *start;
    for (size_t r = 0; r < rows(); ++r)
      s.residual[r] = y[r] - explained(s, r);
  } else {
    s.eta.assign(columns_, 0);
    s.spread.fill(0.03);
    s.residual = y;
    s.weight.assign(rows(), 1);
    s.first_order_variance.assign(rows(), 0);
    center_by_kind(s);
    estimate_excess_deviation(s);  // for the first weights, what is not explained yet counts as noise
  }
  for (int round = 0; round < (start != nullptr ? 2 : kRounds); ++round) {
    solve(s, y, kReweightings);
    if (start != nullptr)
      continue;
    part_clock_and_classes(s);
    estimate_first_order_variance(s);
    estimate_shift_error(s);
    estimate_excess_deviation(s);
    estimate_spread(s);
  }
  if (start == nullptr) {
    solve(s, y, kReweightings);
    part_clock_and_classes(s);
    measure_deviance(s, y);
  }
  return s;
}

}  // namespace lento::chip
