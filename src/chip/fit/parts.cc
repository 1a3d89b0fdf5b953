#include "chip/fit/parts.h"

#include <algorithm>
#include <cmath>

#include "base/stats.h"
#include "chip/fit/tuning.h"

namespace lento::chip {
namespace {

constexpr double kFixed = 1e-6;  // octaves: the prior of a part that is to stay like its class

void take_centres(
    std::vector<Equation>& equations,
    const std::vector<size_t>& class_of,
    const std::vector<PartsOfClass>& classes) {
  for (Equation& e : equations)
    for (const auto& [part, share] : e.shares)
      e.y -= share * classes[class_of[part]].centre;
}

void scale(std::vector<double>& parts, int count, int index, double times) {
  parts.resize(size_t(count), 1);
  parts[size_t(index)] *= times;
}

}  // namespace

void make_slower(Deviations& own, const Grid& grid, const Component& part, double times) {
  if (part.part == Part::Core)
    scale(own.cores, grid.core_count(), part.index, times);
  if (part.part == Part::MemoryUnit)
    scale(own.memory_units, grid.core_count(), part.index, times);
  if (part.part == Part::DramPort)
    scale(own.ports, grid.port_count(), part.index, times);
  if (part.part != Part::Link)
    return;
  for (const int link : {grid.find_link(part.index, part.other), grid.find_link(part.other, part.index)})
    if (link >= 0)
      scale(own.links, grid.link_count(), link, times);
}

double most_own(double spread, double tolerance) {
  if (tolerance >= 0)
    return tolerance;
  return std::min(kMostOwn, kMostSpreads * spread);
}

PartsOfClass spread_of(const std::vector<double>& values, double error) {
  PartsOfClass out;
  out.told = int(values.size());
  out.centre = base::median(values);
  const double seen = spread_around(values, out.centre);
  const double own = std::sqrt(std::max(0.0, seen * seen - error * error));
  const double of_chance =
      1 + kSurelyUnequal * kSpreadError / std::sqrt(std::max(1.0, double(values.size())));
  if (own >= std::max(kLeastSpread, error) && seen >= error * of_chance)
    out.spread = own;
  return out;
}

OwnShares own_shares(
    std::vector<Equation> equations,
    const std::vector<size_t>& class_of,
    size_t classes,
    double tolerance) {
  std::vector<Unknown> parts(class_of.size(), Unknown{kPartPrior});
  solve_robustly(equations, parts);
  OwnShares out{
      std::vector<double>(parts.size()),
      std::vector<double>(parts.size()),
      std::vector<double>(parts.size()),
      std::vector<PartsOfClass>(classes)};
  for (size_t p = 0; p < parts.size(); ++p)
    out.errors[p] = parts[p].error;
  for (size_t k = 0; k < classes; ++k) {
    std::vector<double> values;
    std::vector<double> squares;
    for (size_t p = 0; p < parts.size(); ++p) {
      if (class_of[p] != k || parts[p].error > kPartPrior / 2)
        continue;
      values.push_back(parts[p].value);
      squares.push_back(parts[p].error * parts[p].error);
    }
    out.classes[k] = spread_of(values, std::sqrt(base::mean(squares)));
  }
  for (size_t p = 0; p < parts.size(); ++p) {
    const PartsOfClass& around = out.classes[class_of[p]];
    const double beyond = most_own(std::max(around.spread, kLeastSpread), tolerance);
    const double off = parts[p].value - around.centre;
    if (std::abs(off) > std::max(beyond, kMostSpreads * parts[p].error))
      out.ill[p] = off;
  }
  take_centres(equations, class_of, out.classes);
  for (size_t p = 0; p < parts.size(); ++p) {
    const double spread = out.classes[class_of[p]].spread;
    parts[p] = Unknown{spread > 0 ? spread : kFixed};
  }
  solve_robustly(equations, parts);
  for (size_t p = 0; p < parts.size(); ++p) {
    const double spread = out.classes[class_of[p]].spread;
    const double value = parts[p].value;
    if (spread > 0 && std::abs(value) <= most_own(spread, tolerance))
      out.octaves[p] = value;
  }
  return out;
}

}  // namespace lento::chip
