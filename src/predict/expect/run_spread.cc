// Fits the scale of errors by Newton's method, whose objective is convex, and looks conformal bounds up among
// the scaled errors.
#include "predict/expect/run_spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "evidence/conformal.h"

namespace lento::predict {
namespace {

constexpr double kNoError = 1e-4;  // least error of a run, so that runs predicted exactly have a scale too

// Returns the value below which half of the weight lies.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::ranges::sort(values);
  double total = 0;
  for (const auto& [value, weight] : values)
    total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values) {
    sum += weight;
    if (sum >= total / 2)
      return value;
  }
  return 0;
}

}  // namespace

RunSpread::RunSpread(const SoftwareTable& table, Work work, const std::string& without_source) {
  std::map<std::string, double> runs;
  std::vector<const FieldError*> errors;
  std::array<std::set<std::string>, 2> sources;
  for (const FieldError& e : table.errors) {
    if (e.work != work || e.source == without_source)
      continue;
    runs[e.source] += 1;
    sources[e.known_stack].insert(e.source);
    errors.push_back(&e);
  }
  std::ranges::transform(sources, sources_, &std::set<std::string>::size);
  std::vector<std::pair<double, double>> weighted;
  for (const FieldError* e : errors)
    weighted.emplace_back(e->log_error, 1 / runs[e->source]);
  typical_ = weighted_median(weighted);
  for (const FieldError* e : errors)
    runs_.push_back(
        {1 / runs[e->source],
         e->over_limit,
         std::max(kNoError, std::abs(e->log_error - typical_)),
         e->known_stack});
  fit_scale();
}

double RunSpread::scale(double over_limit) const {
  return std::exp(level_ + growth_ * over_limit);
}

// Minimises the sum of weight (off / scale + log scale). The growth has a normal prior of standard deviation
// 1, which is an error in proportion to expected / limit.
void RunSpread::fit_scale() {
  double sum = 0;
  double total = 0;
  for (const Run& r : runs_) {
    sum += r.weight * r.off;
    total += r.weight;
  }
  if (total == 0)
    return;
  level_ = std::log(sum / total);
  constexpr int kSteps = 50;
  constexpr double kSettled = 1e-9;
  double change = 1;
  for (int i = 0; i < kSteps && change > kSettled; ++i) {
    double slope[2] = {0, growth_};
    double curve[3] = {0, 0, 1};
    for (const Run& r : runs_) {
      const double ratio = r.weight * r.off / scale(r.over_limit);
      slope[0] += r.weight - ratio;
      slope[1] += (r.weight - ratio) * r.over_limit;
      curve[0] += ratio;
      curve[1] += ratio * r.over_limit;
      curve[2] += ratio * r.over_limit * r.over_limit;
    }
    const double whole = curve[0] * curve[2] - curve[1] * curve[1];
    const double level = (curve[2] * slope[0] - curve[1] * slope[1]) / whole;
    const double growth = (curve[0] * slope[1] - curve[1] * slope[0]) / whole;
    change = std::max(std::abs(level), std::abs(growth));
    const double length = std::min(1.0, 1 / change);
    level_ -= length * level;
    growth_ -= length * growth;
  }
}

double RunSpread::half_width(double over_limit, bool known_stack, double share) const {
  // With n sources a bound exists for shares up to n / (n + 1). Where a kind of stack has too few sources for
  // nine of ten, its bound is that of all runs.
  const auto alike = double(sources_[known_stack]);
  const bool apart = alike / (alike + 1) >= std::max(share, 0.9);
  std::vector<double> scores;
  std::vector<double> weights;
  for (const Run& r : runs_) {
    if (apart && r.known_stack != known_stack)
      continue;
    scores.push_back(r.off / scale(r.over_limit));
    weights.push_back(r.weight);
  }
  constexpr double kNormal = 1.645;  // 90 % of a normal distribution lie within this many deviations
  if (scores.empty())
    return kNormal;
  const double bound = evidence::weighted_conformal_bound(scores, weights, 1, 1 - share);
  return scale(over_limit) * (std::isfinite(bound) ? bound : *std::ranges::max_element(scores));
}

const RunSpread& shipped_spread(Work work) {
  static const std::array<RunSpread, kWorks> spreads = {
      RunSpread(shipped_software(), Work::Train),
      RunSpread(shipped_software(), Work::Serve)};
  return spreads[size_t(work)];
}

}  // namespace lento::predict
