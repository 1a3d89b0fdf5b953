#include "chip/detect/thresholds.h"

#include <algorithm>
#include <cmath>

#include "base/stats.h"
#include "chip/detect/tuning.h"

namespace lento::chip {
namespace {

// Mean excess over where the tail begins: the slope of an exponential one. Never steeper than that of an
// ideal likelihood ratio.
double slope_of(const std::vector<double>& strengths, double from) {
  double sum = 0;
  size_t count = 0;
  for (const double s : strengths) {
    if (s <= from)
      continue;
    sum += s - from;
    ++count;
  }
  return count > 0 ? std::max(1.0, sum / double(count)) : 1;
}

// Of so many components, those that show nothing included.
std::vector<double> strengths_of(const std::vector<Suspect>& found, size_t components) {
  std::vector<double> out;
  for (const Suspect& s : found)
    out.push_back(s.strength);
  out.resize(std::max(out.size(), components));
  return out;
}

}  // namespace

Thresholds::Thresholds(const std::vector<std::vector<Suspect>>& shown, size_t components, double false_alarms)
    : components_(components) {
  std::vector<double> strengths;
  for (const std::vector<Suspect>& run : shown) {
    for (const Suspect& s : run) {
      double& most = most_[s.component];
      most = std::max(most, s.strength);
    }
    const std::vector<double> more = strengths_of(run, components);
    strengths.insert(strengths.end(), more.begin(), more.end());
  }
  usual_ = base::quantile(strengths, kTailFrom);
  slope_ = slope_of(strengths, usual_);
  const double chances = double(components) / (double(shown.size()) * false_alarms);
  beyond_ = slope_ * std::max(0.0, std::log(chances));
}

void Thresholds::judge(const std::vector<Suspect>& found) {
  const double here = base::quantile(strengths_of(found, components_), kTailFrom);
  unlike_ = std::max(1.0, here / std::max(usual_, slope_));
}

double Thresholds::most(const Component& component) const {
  const auto seen = most_.find(component);
  return seen == most_.end() ? 0 : seen->second;
}

double Thresholds::needed(const Component& component) const {
  return (most(component) + beyond_) * unlike_;
}

}  // namespace lento::chip
