// Enumerates the parallel strategies of a language model: all factorisations of the nodes that divide the
// workload, each with its distinct placements. Placements that share links equally and cross packages equally
// are listed once.
#include "predict/search/strategy.h"

#include <set>
#include <tuple>

#include "base/error.h"
#include "predict/crossflow/language_model.h"

namespace lento::predict {
namespace {

ParallelShape shape_of(const Parallelism& p) {
  return {p.kernel_rows, p.kernel_columns, p.dp, p.layer_ways};
}

// Adds the placements of one parallel split that differ in link sharing or package crossings.
void add_placements(const Parallelism& p, int package_dim, std::vector<Strategy>& out) {
  std::set<std::tuple<int, int, std::array<bool, 4>>> seen;
  for (const DimensionOrder& order : distinct_orders(shape_of(p))) {
    const PlacementResult placed = place(shape_of(p), order, package_dim);
    if (!placed.fits)
      continue;
    if (!seen.insert({placed.derate.inter, placed.derate.intra, placed.derate.crosses}).second)
      continue;
    out.push_back({p, order, placed.derate});
  }
}

}  // namespace

std::vector<int> divisors(int n) {
  std::vector<int> out;
  for (int d = 1; d <= n; ++d) {
    if (n % d == 0)
      out.push_back(d);
  }
  return out;
}

std::vector<Strategy> all_strategies(const CrossFlowConfig& config, int nodes, int package_dim) {
  std::vector<Strategy> all;
  for (const int dp : divisors(nodes)) {
    for (const int lp : divisors(nodes / dp)) {
      if (lp > config.model.layers)
        continue;
      const int kernel = nodes / dp / lp;
      for (const int kp1 : divisors(kernel)) {
        const int kp2 = kernel / kp1;
        std::vector<Split> splits{Split::RowColumn};
        if (kernel == 1)
          splits = {Split::None};
        if (kernel > 1 && kp2 == 1)
          splits.push_back(Split::ColumnRow);
        for (const Split split : splits) {
          const Parallelism p{dp, lp, kp1, kp2, split};
          CrossFlowConfig tried = config;
          tried.parallelism = p;
          if (impossible(tried).empty())
            add_placements(p, package_dim, all);
        }
      }
    }
  }
  return all;
}

Strategy data_parallel(int nodes, int package_dim) {
  std::vector<Strategy> found;
  add_placements({nodes, 1, 1, 1, Split::None}, package_dim, found);
  LENTO_CHECK(!found.empty(), "data parallelism must have a placement");
  return found.front();
}

CrossFlowConfig with_strategy(CrossFlowConfig c, const Strategy& s, int package_dim) {
  const Parallelism& p = s.parallelism;
  c.parallelism = p;
  c.workers = p.dp * p.layer_ways * p.kernel_rows * p.kernel_columns;
  c.nodes_per_wafer = package_dim * package_dim;
  c.inter_derate = s.derate.inter;
  c.intra_derate = s.derate.intra;
  c.crosses = s.derate.crosses;
  return c;
}

std::string to_string(const Strategy& s) {
  const Parallelism& p = s.parallelism;
  const char* names[] = {"kp1", "kp2", "dp", "lp"};
  std::string text = p.split == Split::None ? "" : (p.split == Split::ColumnRow ? "CR " : "RC ");
  text += "dp " + std::to_string(p.dp) + " lp " + std::to_string(p.layer_ways) + " kp1 " +
          std::to_string(p.kernel_rows) + " kp2 " + std::to_string(p.kernel_columns) + ", order ";
  for (size_t i = 0; i < 4; ++i)
    text += std::string(i ? "-" : "") + names[s.order[i]];
  return text;
}

}  // namespace lento::predict
