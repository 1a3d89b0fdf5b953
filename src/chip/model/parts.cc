// Scans all intervals of a part with running sums by time bin. Score and information of an interval are
// differences of running sums, and so is the part of its information that the nuisances take.
#include "chip/model/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "evidence/normal_factor.h"

namespace lento::chip {
namespace {

constexpr size_t kBins = 24;  // time bins of the run

// Running sums over the time bins for one part. One bin suffices for the whole run, at a fraction of the
// cost.
struct Running {
  size_t bins = kBins;
  std::vector<double> score;
  std::vector<double> information;
  evidence::Matrix taken;  // products of the part's column with the nuisances' columns, one row per bin

  Running(const Likelihood& model, const Solution& s, const PartCells& part, size_t bins_of_run)
      : bins(bins_of_run),
        score(bins + 1),
        information(bins + 1),
        taken(bins + 1, model.columns()) {
    for (const PartCells::Cell& served : part.served) {
      const int64_t at = model.row_of(served.cell);
      if (at < 0)
        continue;
      const auto r = size_t(at);
      const double share = served.share;
      const size_t bin = std::min(bins - 1, size_t(model.time(r) * double(bins))) + 1;
      const double w = s.weight[r] * share;
      score[bin] += w * s.residual[r];
      information[bin] += w * share;
      for (const Likelihood::Entry& e : model.row(r))
        taken(bin, e.column) += w * e.value;
    }
  }

  void sum_up(const evidence::NormalFactor& normal) {
    normal.whiten(taken);
    for (size_t b = 1; b <= bins; ++b) {
      score[b] += score[b - 1];
      information[b] += information[b - 1];
      for (size_t k = 0; k < taken.columns; ++k)
        taken(b, k) += taken(b - 1, k);
    }
  }

  // Returns the information of the bins [a, b) that remains after the nuisances are projected out.
  double left(size_t a, size_t b) const {
    double sum = information[b] - information[a];
    for (size_t k = 0; k < taken.columns; ++k) {
      const double part = taken(b, k) - taken(a, k);
      sum -= part * part;
    }
    return sum;
  }

  Effect effect(size_t a, size_t b) const {
    const double rest = left(a, b);
    return rest > 0 ? Effect{(score[b] - score[a]) / rest, 1 / std::sqrt(rest)}
                    : Effect{0, std::numeric_limits<double>::infinity()};
  }
};

// Returns twice the log likelihood that a row loses when its residual is not 0.
double loss_of(const Likelihood& model, const Solution& s, size_t row, double residual) {
  const double freedom = model.freedom(row);
  return (freedom + 1) * std::log1p(residual * residual / (freedom * model.variance(s, row)));
}

// Returns twice the log-likelihood that records at their expectation lose when the part's share of each takes
// `longer` of itself more time (its factor less 1).
double planted_gain(const Likelihood& model, const Solution& s, const PartCells& part, double longer) {
  double sum = 0;
  for (const auto& [cell, share] : part.served)
    if (const int64_t row = model.row_of(cell); row >= 0)
      sum += loss_of(model, s, size_t(row), std::log1p(share * longer));
  return sum;
}

PartTest best_interval(const Running& sums, const Component& component) {
  constexpr double kLeastLeft = 1e-6;  // of the information; smaller remainders are rounding errors
  PartTest best{component};
  for (size_t a = 0; a < kBins; ++a) {
    for (size_t b = a + 1; b <= kBins; ++b) {
      const double score = sums.score[b] - sums.score[a];
      if (score <= 0)
        continue;
      const double left = sums.left(a, b);
      if (left <= kLeastLeft * (sums.information[b] - sums.information[a]) ||
          score * score <= best.gain * left)
        continue;
      best = {component, double(a) / kBins, double(b) / kBins, score * score / left, sums.effect(a, b)};
    }
  }
  return best;
}

// Returns the interval and the log factor (in steps of kStep) with the largest gain by the likelihood itself,
// with the nuisances at their fit without a slow part. Fitting them anew would only add to the gain. To first
// order the gain of few records that are far off is too small, because Student's t gives them small weights.
// The effect of the result is that of the first order.
PartTest gain_beside_nuisances(
    const Likelihood& model,
    const Solution& s,
    const PartCells& part,
    const Running& sums) {
  constexpr double kStep = 0.25;  // of the log factor
  struct Row {
    size_t row = 0;
    size_t bin = 0;
    double share = 0;
    double loss = 0;  // without a slow part
  };
  std::vector<Row> rows;
  for (const auto& [cell, share] : part.served)
    if (const int64_t at = model.row_of(cell); at >= 0) {
      const auto r = size_t(at);
      const size_t bin = std::min(kBins - 1, size_t(model.time(r) * kBins));
      rows.push_back({r, bin, share, loss_of(model, s, r, s.residual[r])});
    }
  PartTest best{part.component};
  for (double x = kStep; x <= kMostLogFactor; x += kStep) {
    std::array<double, kBins> gains{};
    for (const auto& [r, bin, share, loss] : rows)
      gains[bin] += loss - loss_of(model, s, r, s.residual[r] - std::log1p(share * std::expm1(x)));
    double sum = 0;
    size_t first = 0;
    for (size_t b = 0; b < kBins; ++b) {
      if (sum <= 0) {
        sum = 0;
        first = b;
      }
      sum += gains[b];
      if (sum > best.gain)
        best = {part.component, double(first) / kBins, double(b + 1) / kBins, sum, sums.effect(first, b + 1)};
    }
  }
  return best;
}

// Lists all parts with the influence columns that their slowness changes.
std::vector<PartCells> parts_of(const Grid& grid, const InfluenceColumns& columns) {
  std::vector<PartCells> out;
  for (int core = 0; core < grid.core_count(); ++core)
    out.push_back({{Part::Core, core}, {columns.core(core)}, {}, {}});
  std::vector<bool> seen(columns.size());
  for (int id = 0; id < grid.link_count(); ++id) {
    if (seen[columns.link(id)])
      continue;
    seen[columns.link(id)] = true;
    out.push_back({link_component(grid, id), {columns.link(id)}, {}, {}});
  }
  for (int core = 0; core < grid.core_count(); ++core)
    out.push_back({{Part::MemoryUnit, core}, {columns.memory_unit(core)}, {}, {}});
  for (int port = 0; port < grid.port_count(); ++port)
    out.push_back({{Part::DramPort, port}, {columns.port(port)}, {}, {}});
  for (int router = 0; router < grid.router_count(); ++router) {
    std::vector<uint32_t> links;
    for (const int link : grid.links_of(router))
      links.push_back(columns.link(link));
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    if (!links.empty())
      out.push_back({{Part::Router, router}, std::move(links), {}, {}});
  }
  return out;
}

}  // namespace

std::vector<PartCells> part_cells(const Dictionary& d, const spec::Chip& chip) {
  std::vector<PartCells> out = parts_of(Grid(chip), d.columns);
  for (PartCells& part : out) {
    for (uint32_t c = 0; c < d.cells.size(); ++c) {
      float served = 0;
      float reached = 0;
      for (const Dictionary::Share& s : d.shares_of(d.cells[c]))
        if (std::ranges::binary_search(part.columns, s.column))
          (s.served ? served : reached) += s.sensitivity;
      if (served > 0)
        part.served.push_back({c, served});
      else if (reached != 0)
        part.reached.push_back({c, reached});
    }
  }
  return out;
}

std::vector<PartTest>
scan_parts(const Likelihood& model, const Solution& none, const std::vector<PartCells>& parts) {
  const evidence::NormalFactor normal(model.normal(none));
  std::vector<PartTest> out;
  for (const PartCells& part : parts) {
    Running sums(model, none, part, kBins);
    sums.sum_up(normal);
    const PartTest best = std::ranges::max(
        {best_interval(sums, part.component), gain_beside_nuisances(model, none, part, sums)},
        {},
        &PartTest::gain);
    if (best.gain > 0)
      out.push_back(best);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &PartTest::gain);
  return out;
}

PartTest test_part(
    const Likelihood& model,
    const Solution& none,
    const PartCells& part,
    const std::vector<float>& inside) {
  std::vector<double> offset(model.dictionary().cells.size());
  for (const PartCells::Cell& reached : part.reached)
    if (inside[reached.cell] > 0)
      offset[reached.cell] = std::numeric_limits<double>::quiet_NaN();
  const auto value_at = [&](double x) {
    for (const PartCells::Cell& served : part.served)
      offset[served.cell] = std::log1p(double(served.share) * inside[served.cell] * std::expm1(x));
    return model.fit(offset, &none).log_likelihood;
  };
  const double before = value_at(0);
  double best = 0;
  double best_value = before;
  constexpr double kStep = 2;
  constexpr double kLeast = 0.005;
  for (double x = kLeast; x < kMostLogFactor; x *= kStep) {
    const double value = value_at(x);
    if (value > best_value) {
      best = x;
      best_value = value;
    }
  }
  PartTest out;
  if (best == 0)
    return out;
  // Refines the factor by a golden-section search between the neighbours of the best value.
  constexpr double kGolden = 0.618033988749895;
  double low = best / kStep;
  double high = best * kStep;
  for (int step = 0; step < 14; ++step) {
    const double a = high - kGolden * (high - low);
    const double b = low + kGolden * (high - low);
    if (value_at(a) > value_at(b))
      high = b;
    else
      low = a;
  }
  out.effect.log_factor = (low + high) / 2;
  best_value = std::max(best_value, value_at(out.effect.log_factor));
  const double h = out.effect.log_factor / 20;
  const double curvature = (2 * value_at(out.effect.log_factor) - value_at(out.effect.log_factor - h) -
                            value_at(out.effect.log_factor + h)) /
                           (h * h);
  out.effect.deviation = curvature > 0 ? 1 / std::sqrt(curvature) : std::numeric_limits<double>::infinity();
  out.gain = 2 * (best_value - before);
  return out;
}

std::vector<Effect>
whole_run_effects(const Likelihood& model, const Solution& none, const std::vector<PartCells>& parts) {
  const evidence::NormalFactor normal(model.normal(none));
  std::vector<Effect> out;
  for (const PartCells& part : parts) {
    Running sums(model, none, part, 1);
    sums.sum_up(normal);
    out.push_back(sums.effect(0, 1));
  }
  return out;
}

std::vector<double> detectable_factors(
    const Likelihood& model,
    const Solution& none,
    const std::vector<PartCells>& parts,
    const DetectionLimits& limits) {
  constexpr double kPower = 1.645;  // deviations that 95 % of estimates exceed
  Solution wide = none;
  for (size_t k = 0; k < wide.spread.size(); ++k)
    wide.spread[k] = std::max(wide.spread[k], limits.spread[k]);
  const evidence::NormalFactor normal(model.normal(wide));
  std::vector<double> out;
  for (const PartCells& part : parts) {
    Running sums(model, wide, part, 1);
    sums.sum_up(normal);
    const double kept = sums.left(0, 1) / sums.information[1];
    const double needed = std::sqrt(limits.threshold) + kPower * limits.scatter[size_t(part.component.part)];
    const auto exceeds = [&](double x) {
      return kept * planted_gain(model, none, part, std::expm1(x)) > needed * needed;
    };
    double low = std::log(limits.least);
    double high = kMostLogFactor;
    if (!exceeds(high)) {
      out.push_back(std::numeric_limits<double>::infinity());
      continue;
    }
    for (int step = 0; step < 20 && !exceeds(low); ++step) {
      const double middle = (low + high) / 2;
      (exceeds(middle) ? high : low) = middle;
    }
    out.push_back(std::exp(exceeds(low) ? low : high));
  }
  return out;
}

}  // namespace lento::chip
