// Which metrics to judge, in which order: the decision tree of Minder (section 3.4) over how far metrics
// stand out. A sample is one window; z[k] is how abnormal metric k was in it, `faulty` whether a fault was.
// The tree is CART with Gini impurity; the order is that of first use from the root, level by level, ties by
// impurity gain. Metrics that the tree never uses tell nothing new and are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lento::fleet {

struct PrioritySample {
  std::vector<float> z;
  bool faulty = false;
  size_t group = 0;  // drawn together: a fleet
};

struct TreeOptions {
  size_t depth = 7;
  size_t min_leaf = 5;
  // Metrics whose best split removes so nearly as much impurity as the one taken share its gain (the
  // surrogate splits of CART). Else of two that tell a fault equally well one masks the other, by the chance
  // of a draw.
  double tie = 0;  // share of the gain that may be missing
};

struct MetricUse {
  size_t metric = 0;
  double gain = 0;       // impurity removed, as a share of all samples
  double threshold = 0;  // of the first split
  size_t level = 0;
};

// All samples must have the same number of metrics.
std::vector<MetricUse> prioritise(
    const std::vector<PrioritySample>& samples,
    const TreeOptions& options = {});

// The same by stability selection (Meinshausen and Buehlmann): a tree for each of `rounds` random halves of
// the groups; what most trees use is kept, by falling gain. One tree hangs on the draw that it was grown on.
struct StableOptions {
  TreeOptions tree{.tie = 0.1};
  size_t rounds = 40;
  double share = 0.02;  // of all gain that a metric must have
  uint64_t seed = 1;
};
std::vector<MetricUse> prioritise_stable(
    const std::vector<PrioritySample>& samples,
    const StableOptions& options = {});

}  // namespace lento::fleet
