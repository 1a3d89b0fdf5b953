#include "predict/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.h"

namespace lento::predict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool uses_inside_network(const CrossFlowConfig& c) { return c.nodes_per_wafer > 1; }

// Components with a share: all but the network inside packages where there is none.
std::vector<Component> shared_components(const CrossFlowConfig& c) {
  std::vector<Component> all{kCore, kL2, kL1, kRegisters, kDram, kIntra, kInter};
  if (!uses_inside_network(c)) all.erase(all.begin() + kIntra);
  return all;
}

std::vector<size_t> shared_edges(const CrossFlowConfig& c) {
  return uses_inside_network(c) ? std::vector<size_t>{0, 1, 2} : std::vector<size_t>{0, 2};
}

CrossFlowConfig design_of(const SearchSpace& space, const DesignPoint& p) {
  CrossFlowConfig c = with_technology(space.base, p.logic, p.memory, p.network);
  c.budgets.power = p.power;
  return c;
}

struct Candidate {
  Strategy strategy;
  double seconds = kInfinity;
};

std::vector<Candidate> evaluate_strategies(const SearchSpace& space, const DesignPoint& point,
                                           const CrossFlowConfig& design, unsigned threads) {
  const auto strategies = space.all_parallelism
                              ? all_strategies(design, space.nodes, point.package_dim)
                              : std::vector<Strategy>{data_parallel(space.nodes, point.package_dim)};
  std::vector<Candidate> candidates(strategies.size());
  base::parallel_for(strategies.size(), threads, [&](size_t i) {
    candidates[i] = {strategies[i],
                     iteration_time(with_strategy(design, strategies[i], point.package_dim), space.must_fit)};
  });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
  return candidates;
}

// A design whose package has no inner network yet gets a tenth of each class for it.
CrossFlowConfig with_inside_network(CrossFlowConfig c, int package_dim) {
  Budgets& b = c.budgets;
  if (package_dim == 1 || b.area[kIntra] > 0) return c;
  for (auto* shares : {&b.area, &b.share}) {
    for (double& share : *shares) share *= 0.9;
    (*shares)[kIntra] = 0.1;
  }
  for (double& share : b.perimeter) share *= 0.8;
  b.perimeter[1] = 0.2;
  return c;
}

}  // namespace

Shares shares_of(const CrossFlowConfig& c) {
  Shares shares(3);
  for (const Component component : shared_components(c)) {
    shares[0].push_back(std::max(c.budgets.area[component], 1e-3));
    shares[1].push_back(std::max(c.budgets.share[component], 1e-3));
  }
  for (const size_t edge : shared_edges(c)) shares[2].push_back(std::max(c.budgets.perimeter[edge], 1e-3));
  for (auto& part : shares) {
    double sum = 0;
    for (const double share : part) sum += share;
    for (double& share : part) share /= sum;
  }
  return shares;
}

CrossFlowConfig with_shares(CrossFlowConfig c, const Shares& shares) {
  const auto components = shared_components(c);
  for (size_t i = 0; i < components.size(); ++i) {
    c.budgets.area[components[i]] = shares[0][i];
    c.budgets.share[components[i]] = shares[1][i];
  }
  const auto edges = shared_edges(c);
  for (size_t i = 0; i < edges.size(); ++i) c.budgets.perimeter[edges[i]] = shares[2][i];
  return c;
}

double iteration_time(const CrossFlowConfig& c, bool must_fit) {
  const Machine machine = generate(c, BelowMargin::FewerUnits);
  if (machine.flops <= 0 || machine.memory[3].bytes <= 0) return kInfinity;
  const LanguageModelTime t = language_model_time(machine, c);
  return std::isfinite(t.seconds) && (!must_fit || t.memory_bytes <= t.memory_there) ? t.seconds : kInfinity;
}

std::vector<DesignPoint> design_points(const SearchSpace& space) {
  std::vector<DesignPoint> points;
  for (const double power : space.power) {
    for (const int dim : space.package_dims) {
      for (const Generation& network : space.network) {
        for (const Generation& memory : space.memory) {
          for (const Generation& logic : space.logic) points.push_back({logic, memory, network, dim, power});
        }
      }
    }
  }
  return points;
}

DesignResult search_point(const SearchSpace& space, const DesignPoint& point, const SearchOptions& options) {
  const CrossFlowConfig design = with_inside_network(design_of(space, point), point.package_dim);
  DesignResult result;
  result.point = point;
  result.data_parallel_s =
      iteration_time(with_strategy(design, data_parallel(space.nodes, point.package_dim), point.package_dim),
                     space.must_fit);
  const std::vector<Candidate> candidates = evaluate_strategies(space, point, design, options.threads);
  result.evaluations = candidates.size() + 1;
  result.strategy = candidates.front().strategy;
  result.parallel_s = result.joint_s = candidates.front().seconds;
  result.config = with_strategy(design, result.strategy, point.package_dim);
  if (!space.optimise_resources) return result;
  const size_t refined = std::min(candidates.size(), static_cast<size_t>(space.refine_best));
  for (size_t i = 0; i < refined && !options.minimise.progress.stopped(); ++i) {
    const CrossFlowConfig start = with_strategy(design, candidates[i].strategy, point.package_dim);
    MinimiseOptions minimise_options = options.minimise;
    minimise_options.first = shares_of(start);
    minimise_options.threads = options.threads;
    const auto objective = [&](const Shares& shares) {
      return iteration_time(with_shares(start, shares), space.must_fit);
    };
    std::vector<size_t> sizes;
    for (const auto& part : minimise_options.first) sizes.push_back(part.size());
    const Minimum found = minimise(objective, sizes, minimise_options);
    result.evaluations += found.evaluations;
    if (!(found.value < result.joint_s)) continue;
    result.joint_s = found.value;
    result.strategy = candidates[i].strategy;
    result.config = with_shares(start, found.at);
  }
  return result;
}

std::vector<DesignResult> search(const SearchSpace& space, const SearchOptions& options) {
  std::vector<DesignResult> results;
  const std::vector<DesignPoint> points = design_points(space);
  for (const DesignPoint& point : points) {
    if (options.minimise.progress.stopped()) break;
    options.minimise.progress("design points", static_cast<double>(results.size()),
                              static_cast<double>(points.size()));
    results.push_back(search_point(space, point, options));
  }
  return results;
}

}  // namespace lento::predict
