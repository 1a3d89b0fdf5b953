#include "chip/fit/parts.h"

#include <algorithm>
#include <cmath>

#include "chip/fit/tuning.h"
#include "evidence/sample.h"

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

// How far the values lie from the centre beside a spread and their own errors, as a normal's deviations.
double scaled_spread(
    const std::vector<double>& values,
    const std::vector<double>& errors,
    double centre,
    double spread) {
  std::vector<double> scaled;
  for (size_t i = 0; i < values.size(); ++i)
    scaled.push_back(std::abs(values[i] - centre) / std::max(kFixed, std::hypot(spread, errors[i])));
  return scaled.size() < 3 ? 0 : evidence::quantile(scaled, kSpreadQuantile) / kNormalAtQuantile;
}

struct KnownParts {
  std::vector<double> values;
  std::vector<double> errors;
};

// The parts of class `k` that the equations tell about.
KnownParts known_parts(
    const std::vector<Unknown>& parts,
    const std::vector<double>& before,
    const std::vector<size_t>& class_of,
    size_t k) {
  KnownParts out;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (class_of[p] != k || parts[p].error > kPartPrior / 2)
      continue;
    out.values.push_back(before[p] + parts[p].value);
    out.errors.push_back(parts[p].error);
  }
  return out;
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

// A spread beside which the values lie as far from their centre, each measured by its own error, as a normal
// does. Parts that are hardly known say little of it and hide nothing.
PartsOfClass
spread_of(const std::vector<double>& values, const std::vector<double>& errors, double deviations) {
  PartsOfClass out;
  out.told = int(values.size());
  out.centre = evidence::median(values);
  const double by_chance = 1 + deviations * kSpreadError / std::sqrt(std::max(1.0, double(values.size())));
  if (scaled_spread(values, errors, out.centre, 0) < by_chance)
    return out;
  std::vector<double> distances;
  for (const double value : values)
    distances.push_back(std::abs(value - out.centre));
  double least = 0;
  double most = std::ranges::max(distances);
  for (int i = 0; i < kSpreadHalvings; ++i) {
    const double middle = (least + most) / 2;
    (scaled_spread(values, errors, out.centre, middle) > 1 ? least : most) = middle;
  }
  if (least >= kLeastSpread)
    out.spread = least;
  return out;
}

std::vector<double> scatter_of_parts(
    const std::vector<Equation>& equations,
    const std::vector<size_t>& class_of,
    size_t classes) {
  std::vector<Unknown> parts(class_of.size(), Unknown{.prior = kPartPrior});
  solve_robustly(equations, parts);
  std::vector<double> out;
  for (size_t k = 0; k < classes; ++k) {
    const KnownParts known = known_parts(parts, std::vector<double>(parts.size()), class_of, k);
    out.push_back(scaled_spread(known.values, known.errors, evidence::median(known.values), 0));
  }
  return out;
}

OwnShares own_shares(
    std::vector<Equation> equations,
    const std::vector<size_t>& class_of,
    size_t classes,
    double tolerance,
    const OwnSoFar& so_far,
    const std::vector<double>& scatter) {
  const size_t count = class_of.size();
  std::vector<double> before = so_far.octaves;
  before.resize(count);
  std::vector<Unknown> parts;
  for (const double octaves : before)
    parts.push_back({.prior = kPartPrior, .mean = -octaves});
  solve_robustly(equations, parts);
  for (size_t p = 0; p < count && !scatter.empty(); ++p)
    parts[p].error *= scatter[class_of[p]];
  OwnShares out{
      std::vector<double>(count),
      std::vector<double>(count),
      std::vector<double>(count),
      std::vector<PartsOfClass>(classes)};
  for (size_t p = 0; p < count; ++p)
    out.errors[p] = parts[p].error;
  for (size_t k = 0; k < classes; ++k) {
    const KnownParts known = known_parts(parts, before, class_of, k);
    out.classes[k] = spread_of(known.values, known.errors, kSurelyUnequalTogether);
    // Once unequal a class stays so: what is left over spreads less from round to round.
    if (out.classes[k].spread == 0 && k < so_far.spreads.size())
      out.classes[k].spread = so_far.spreads[k];
  }
  for (size_t p = 0; p < count; ++p) {
    const PartsOfClass& around = out.classes[class_of[p]];
    const double beyond = most_own(std::max(around.spread, kLeastSpread), tolerance);
    const double off = before[p] + parts[p].value - around.centre;
    if (std::abs(off) > std::max(beyond, kMostSpreads * parts[p].error))
      out.ill[p] = off;
  }
  take_centres(equations, class_of, out.classes);
  for (size_t p = 0; p < count; ++p) {
    const double spread = out.classes[class_of[p]].spread;
    parts[p] = {.prior = spread > 0 ? spread : kFixed, .mean = -before[p]};
  }
  solve_robustly(equations, parts);
  for (size_t p = 0; p < count; ++p) {
    const double spread = out.classes[class_of[p]].spread;
    const double value = before[p] + parts[p].value;
    if (spread > 0 && std::abs(value) <= most_own(spread, tolerance))
      out.octaves[p] = value;
  }
  return out;
}

}  // namespace lento::chip
