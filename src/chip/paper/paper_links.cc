// Sets up an equation for each transfer pattern, and solves for the links' bandwidths by expectation
// maximisation (paper_links.h).
#include "chip/paper/paper_links.h"

#include <algorithm>
#include <cmath>

#include "chip/sketch/level.h"

namespace lento::chip {
namespace {

// Returns the regularised lower incomplete gamma function, by its series for x < a + 1 and a continued
// fraction above.
double gamma_p(double a, double x) {
  if (x <= 0)
    return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < 500 && term > 1e-15 * sum; ++n)
      sum += term *= x / (a + n);
    return front * sum;
  }
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < 500; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15)
      break;
  }
  return 1 - front * h;
}

// Returns the mean cycles of a row of the sketch.
double mean_cycles(const Row& row) {
  double level = 0;
  double count = 0;
  for (const Cell& c : row.cells) {
    level += c.level * float(c.count);
    count += c.count;
  }
  if (count > 0)
    return cycles_per_work(row.pattern.kind, level / count * kLevelsPerOctave) * row.bytes;
  return 0;
}

}  // namespace

std::vector<LinkEquation> link_equations(const Observations& seen, const spec::Chip& chip) {
  std::vector<LinkEquation> out;
  const auto segment = double(chip.network.segment_bytes);
  for (size_t r = 0; r < seen.paths.size(); ++r) {
    const Row& row = seen.cells.rows[r];
    const Path& path = seen.paths[r];
    LinkEquation e{path.links(), std::min(row.bytes, segment), mean_cycles(row), 0, double(row.count)};
    if (e.links.empty() || e.cycles <= 0 || e.bytes <= 0)
      continue;
    const double in_links = double(e.links.size()) * e.bytes / chip.network.link_bytes_per_cycle;
    e.ends = std::max(0.0, path.cycles(row.bytes) - in_links);
    out.push_back(std::move(e));
  }
  return out;
}

// Estimates cycles per byte of each link, so that routes add up to the measured times.
LinkFit fit_links(
    const std::vector<LinkEquation>& equations,
    size_t links,
    double nominal_cycles_per_byte,
    int iterations) {
  LinkFit fit;
  std::vector<double> weight(links);
  std::vector<double> shared(links);
  for (const LinkEquation& e : equations)
    for (const int l : e.links)
      weight[size_t(l)] += e.count * e.bytes;
  fit.cycles_per_byte.assign(links, 0);
  for (size_t l = 0; l < links; ++l)
    if (weight[l] > 0)
      fit.cycles_per_byte[l] = nominal_cycles_per_byte;
  for (int i = 0; i < iterations; ++i) {
    std::ranges::fill(shared, 0.0);
    double divergence = 0;
    for (const LinkEquation& e : equations) {
      double expected = e.ends;
      for (const int l : e.links)
        expected += e.bytes * fit.cycles_per_byte[size_t(l)];
      const double ratio = e.cycles / expected;
      for (const int l : e.links)
        shared[size_t(l)] += e.count * e.bytes * ratio;
      divergence += e.count * (e.cycles * std::log(ratio) - e.cycles + expected);
    }
    fit.divergence.push_back(divergence);
    for (size_t l = 0; l < links; ++l)
      if (weight[l] > 0)
        fit.cycles_per_byte[l] *= shared[l] / weight[l];
  }
  return fit;
}

double slow_probability(double bandwidth, double mean, double variation) {
  const double shape = 1 / (variation * variation);
  return 1 - gamma_p(shape, bandwidth / mean * shape);
}

}  // namespace lento::chip
