// Chooses which metrics to judge and in which order, by Minder's decision tree (section 3.4). A sample is one
// window: z[k] is the abnormality of metric k, and `faulty` whether there was a fault. The tree is CART with
// Gini impurity. Metrics are ordered by the level of their first use from the root, then by impurity gain.
// Metrics that the tree never uses are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::fleet {

struct PrioritySample {
  std::vector<float> z;
  bool faulty = false;
  size_t group = 0;  // number of its fleet, whose samples are drawn together
};

struct TreeOptions {
  size_t depth = 7;
  size_t min_leaf = 5;
  // Metrics whose best split removes nearly as much impurity as the chosen one share its gain (surrogate
  // splits of CART). Otherwise one of two equally good metrics would hide the other by chance.
  double tie = 0;  // largest lack of such a metric's gain, as a share of the best gain
};

struct MetricUse {
  size_t metric = 0;
  double gain = 0;       // impurity removed, as a share of all samples
  double threshold = 0;  // threshold of the metric's first split
  size_t level = 0;
};

// All samples must have the same number of metrics.
std::vector<MetricUse> prioritise(
    const std::vector<PrioritySample>& samples,
    const TreeOptions& options = {});

// Stability selection (Meinshausen and Buehlmann): a tree for each of `rounds` random halves of the groups.
// Metrics that most trees use are kept, in order of falling gain. A single tree depends on its random half.
struct StableOptions {
  TreeOptions tree{.tie = 0.1};
  size_t rounds = 40;
  double share = 0.02;  // least share of the total gain that a metric must have
  uint64_t seed = 1;
};
std::vector<MetricUse> prioritise_stable(
    const std::vector<PrioritySample>& samples,
    const StableOptions& options = {});

}  // namespace lento::fleet
