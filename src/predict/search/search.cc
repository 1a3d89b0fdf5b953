// Converts designs to vectors of shares and back, enumerates the design points, and selects the best result.
#include "predict/search/search.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

bool uses_inside_network(const CrossFlowConfig& c) {
  return c.nodes_per_wafer > 1;
}

// Returns the components that have shares: all, without the network inside packages when a package holds one
// node.
std::vector<Component> shared_components(const CrossFlowConfig& c) {
  std::vector<Component> all{kCore, kL2, kL1, kRegisters, kDram, kIntra, kInter};
  if (!uses_inside_network(c))
    all.erase(all.begin() + kIntra);
  return all;
}

std::vector<size_t> shared_edges(const CrossFlowConfig& c) {
  return uses_inside_network(c) ? std::vector<size_t>{0, 1, 2} : std::vector<size_t>{0, 2};
}

// Gives the network inside the package a tenth of area and power and a fifth of the perimeter, when a design
// has none yet.
CrossFlowConfig with_inside_network(CrossFlowConfig c, int package_dim) {
  Budgets& b = c.budgets;
  c.nodes_per_wafer = package_dim * package_dim;
  if (package_dim == 1 || b.area[kIntra] > 0)
    return c;
  for (auto* shares : {&b.area, &b.share}) {
    for (double& share : *shares)
      share *= 0.9;
    (*shares)[kIntra] = 0.1;
  }
  for (double& share : b.perimeter)
    share *= 0.8;
  b.perimeter[1] = 0.2;
  return c;
}

}  // namespace

// Converts the budgets to shares that are at least 0.001, so that every component can grow.
Shares shares_of(const CrossFlowConfig& c) {
  Shares shares(3);
  for (const Component component : shared_components(c)) {
    shares[0].push_back(std::max(c.budgets.area[component], 1e-3));
    shares[1].push_back(std::max(c.budgets.share[component], 1e-3));
  }
  for (const size_t edge : shared_edges(c))
    shares[2].push_back(std::max(c.budgets.perimeter[edge], 1e-3));
  for (auto& part : shares) {
    double sum = 0;
    for (const double share : part)
      sum += share;
    for (double& share : part)
      share /= sum;
  }
  return shares;
}

// Returns the design with its area, power and edge budgets divided by these shares.
CrossFlowConfig with_shares(CrossFlowConfig c, const Shares& shares) {
  const auto components = shared_components(c);
  for (size_t i = 0; i < components.size(); ++i) {
    c.budgets.area[components[i]] = shares[0][i];
    c.budgets.share[components[i]] = shares[1][i];
  }
  const auto edges = shared_edges(c);
  for (size_t i = 0; i < edges.size(); ++i)
    c.budgets.perimeter[edges[i]] = shares[2][i];
  return c;
}

CrossFlowConfig design_of(const SearchSpace& space, const DesignPoint& p) {
  CrossFlowConfig c = with_technology(space.base, p.logic, p.memory, p.network);
  c.budgets.power = p.power;
  // The area of the node outside the chip, which holds the memory, stays the same.
  c.budgets.node_area += p.chip_area - c.budgets.chip_area;
  c.budgets.chip_area = p.chip_area;
  return with_inside_network(c, p.package_dim);
}

// Lists the design points: all combinations of technologies, packages, budgets and jobs.
std::vector<DesignPoint> design_points(const SearchSpace& space) {
  std::vector<DesignPoint> points{{}};
  const auto cross = [&points](const auto& values, auto set) {
    std::vector<DesignPoint> crossed;
    for (const DesignPoint& point : points) {
      for (size_t i = 0; i < values.size(); ++i) {
        crossed.push_back(point);
        set(crossed.back(), i);
      }
    }
    points = std::move(crossed);
  };
  cross(space.jobs, [](DesignPoint& p, size_t i) {
    p.job = i;
  });
  cross(space.chip_area, [&](DesignPoint& p, size_t i) {
    p.chip_area = space.chip_area[i];
  });
  cross(space.power, [&](DesignPoint& p, size_t i) {
    p.power = space.power[i];
  });
  cross(space.package_dims, [&](DesignPoint& p, size_t i) {
    p.package_dim = space.package_dims[i];
  });
  cross(space.network, [&](DesignPoint& p, size_t i) {
    p.network = space.network[i];
  });
  cross(space.memory, [&](DesignPoint& p, size_t i) {
    p.memory = space.memory[i];
  });
  cross(space.logic, [&](DesignPoint& p, size_t i) {
    p.logic = space.logic[i];
  });
  return points;
}

const DesignResult* best_of(const std::vector<DesignResult>& results) {
  const DesignResult* best = nullptr;
  for (const DesignResult& r : results) {
    if (!std::isfinite(r.value))
      continue;
    const bool better = !best || (r.fits == best->fits ? r.value < best->value : r.fits);
    if (better)
      best = &r;
  }
  return best;
}

}  // namespace lento::predict
