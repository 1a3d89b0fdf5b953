// Fits the likelihood of recorded tails by a few rounds of expectation and maximisation (ends.h has the
// model). Medians and absolute deviations replace means, so that waits that a slow part delays do not distort
// the corrections of healthy waits. Cost: some hundred operations per wait.
#include "chip/fabric/ends.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

static_assert(kTails == 3, "density and distribution below are those of three degrees of freedom");

double density(double z) {
  const double q = 1 + z * z / 3;
  return 2 / (std::numbers::pi * std::numbers::sqrt3 * q * q);
}

double distribution(double z) {
  const double r = z / std::numbers::sqrt3;
  return 0.5 + (r / (1 + r * r) + std::atan(r)) / std::numbers::pi;
}

// Returns the weighted median of (value, weight) pairs, which are in ascending order of value. `whole` is the
// sum of the weights.
double middle(const std::vector<std::pair<double, double>>& values, double whole) {
  double below = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    below += values[i].second;
    if (below < whole / 2)
      continue;
    const bool between = below == whole / 2 && i + 1 < values.size();
    if (between)
      return (values[i].first + values[i + 1].first) / 2;
    return values[i].first;
  }
  return 0;
}

// Returns a robust standard deviation (1.4826 times the weighted median) from (distance to the centre,
// weight) pairs in ascending order of distance, at least kLeastSpread. When the weights sum to less than two
// waits, returns kModelError.
double spread_of(const std::vector<std::pair<double, double>>& distances, double whole) {
  if (whole < 2)
    return kModelError;
  return std::max(kLeastSpread, 1.4826 * middle(distances, whole));
}

// Returns the log-likelihood of the corrections. They are errors of the model and normally distributed
// around zero. One factor common to all corrections is allowed at a cost, because a fabric that differs from
// its sheet is not a slow component.
double correction_likelihood(std::vector<double> centre) {
  if (centre.empty())
    return 0;
  const auto about = [&centre](double middle) {
    double sum = 0;
    for (const double c : centre)
      sum -= (c - middle) * (c - middle) / (2 * kModelError * kModelError);
    return sum;
  };
  std::ranges::sort(centre);
  const double common = centre[centre.size() / 2];
  return std::max(about(0), about(common) - kCommonCost);
}

}  // namespace

Ends::Ends(std::vector<double> log_ratio, std::vector<uint32_t> sort, uint32_t sorts, bool free_correction)
    : x_(std::move(log_ratio)),
      sort_(std::move(sort)),
      of_sort_(sorts),
      free_correction_(free_correction) {
  for (uint32_t i = 0; i < x_.size(); ++i)
    of_sort_[sort_[i]].push_back(i);
  for (auto& waits : of_sort_)
    std::ranges::stable_sort(waits, {}, [this](uint32_t i) {
      return x_[i];
    });
  healthy_.share.assign(x_.size(), 0);
  centre(healthy_);
  weigh(healthy_, {}, {});
}

// Estimates corrections and spreads from the waits that the slow component does not delay. Each wait is
// weighted by its probability of not being delayed.
void Ends::centre(EndsFit& fit) const {
  fit.centre.assign(of_sort_.size(), 0);
  fit.spreads.assign(of_sort_.size(), 0);
  std::vector<double> weight(of_sort_.size(), 0);
  std::vector<std::pair<double, double>> all;
  double whole = 0;
  for (size_t p = 0; p < of_sort_.size(); ++p) {
    std::vector<std::pair<double, double>> values;
    for (const uint32_t i : of_sort_[p]) {
      values.emplace_back(x_[i], 1 - fit.share[i]);
      weight[p] += 1 - fit.share[i];
    }
    // A few undelayed waits are weak evidence for an error that all waits of their group share, so their
    // correction is bounded.
    const double limit = weight[p] < kEqualWaits ? kModelError : std::numeric_limits<double>::infinity();
    if (weight[p] > kLeastWeight)
      fit.centre[p] = std::clamp(middle(values, weight[p]), -limit, limit);
    for (auto& [x, share] : values)
      x = std::abs(x - fit.centre[p]);
    std::ranges::sort(values);
    fit.spreads[p] = spread_of(values, weight[p]);
    all.insert(all.end(), values.begin(), values.end());
    whole += weight[p];
  }
  std::ranges::sort(all);
  fit.spread = spread_of(all, whole);
  for (size_t p = 0; p < of_sort_.size(); ++p) {
    const double own = weight[p] / (weight[p] + kCommonSpread);
    fit.spreads[p] = std::exp(own * std::log(fit.spreads[p]) + (1 - own) * std::log(fit.spread));
  }
}

// Computes for each wait the probability that the slow component delayed it, and the log-likelihood of all
// waits.
void Ends::weigh(EndsFit& fit, const std::vector<double>& bound, const std::vector<double>& slow_spread)
    const {
  fit.likelihood = 0;
  fit.waits_ended = 0;
  fit.residual.resize(x_.size());
  if (!free_correction_)
    fit.likelihood = correction_likelihood(fit.centre);
  for (size_t i = 0; i < x_.size(); ++i) {
    const double spread = fit.spreads[sort_[i]];
    const double z = (x_[i] - fit.centre[sort_[i]]) / spread;
    double own = density(z) / spread;
    double slow = 0;
    fit.residual[i] = x_[i] - fit.centre[sort_[i]];
    if (!bound.empty() && bound[i] != kFree) {
      const double v = (x_[i] - bound[i]) / slow_spread[i];
      own *= distribution(v);
      slow = density(v) / slow_spread[i] * distribution(z);
    }
    fit.likelihood += std::log(own + slow);
    fit.share[i] = slow / (own + slow);
    fit.waits_ended += fit.share[i];
    if (slow > own)
      fit.residual[i] = x_[i] - bound[i];
  }
}

EndsFit Ends::fit(const std::vector<double>& bound, const std::vector<double>& slow_spread) const {
  EndsFit out = healthy_;
  weigh(out, bound, slow_spread);
  for (int round = 0; round < kRounds; ++round) {
    if (out.waits_ended < 0.5)
      break;
    centre(out);
    weigh(out, bound, slow_spread);
  }
  return out;
}

}  // namespace lento::chip
