// Grows the decision tree that orders the metrics, and the trees over random halves of the samples.
#include "fleet/minder/priority.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "base/rng.h"

namespace lento::fleet {
namespace {

double gini(double positive, double total) {
  if (total <= 0)
    return 0;
  const double p = positive / total;
  return 2 * p * (1 - p);
}

struct Split {
  size_t metric = 0;
  float threshold = 0;
  double gain = 0;  // decrease of impurity times samples
  double margin =
      0;  // distance of the two values around the threshold, relative: breaks ties between metrics
};

// Updates `best` if a threshold of this metric splits the samples `in` better.
void best_threshold(
    const std::vector<PrioritySample>& samples,
    std::vector<size_t>& in,
    size_t metric,
    size_t min_leaf,
    Split& best) {
  std::ranges::sort(in, [&](size_t a, size_t b) {
    return samples[a].z[metric] != samples[b].z[metric] ? samples[a].z[metric] < samples[b].z[metric] : a < b;
  });
  double positives = 0;
  for (const size_t i : in)
    positives += samples[i].faulty;
  const double total = double(in.size());
  const double parent = total * gini(positives, total);
  double left = 0;
  for (size_t i = 0; i + 1 < in.size(); ++i) {
    left += samples[in[i]].faulty;
    const float here = samples[in[i]].z[metric];
    const float next = samples[in[i + 1]].z[metric];
    const size_t n = i + 1;
    if (here == next || n < min_leaf || in.size() - n < min_leaf)
      continue;
    const double count = double(n);
    const double gain =
        parent - count * gini(left, count) - (total - count) * gini(positives - left, total - count);
    const double margin = (next - here) / (std::abs(next) + std::abs(here) + 1e-9);
    if (gain > best.gain * (1 + 1e-9) || (gain > best.gain * (1 - 1e-9) && margin > best.margin)) {
      best = {metric, (here + next) / 2, gain, margin};
    }
  }
}

// Returns the best split and those of other metrics that are nearly as good. The gain is shared between
// them.
std::vector<Split> with_rivals(
    const std::vector<PrioritySample>& samples,
    std::vector<size_t>& in,
    const Split& best,
    const TreeOptions& options) {
  std::vector<Split> out{best};
  for (size_t k = 0; options.tie > 0 && k < samples[0].z.size(); ++k) {
    Split own;
    best_threshold(samples, in, k, options.min_leaf, own);
    if (k != best.metric && own.gain >= (1 - options.tie) * best.gain)
      out.push_back(own);
  }
  for (Split& split : out)
    split.gain = best.gain / double(out.size());
  return out;
}

}  // namespace

std::vector<MetricUse> prioritise(const std::vector<PrioritySample>& samples, const TreeOptions& options) {
  std::vector<MetricUse> order;
  if (samples.empty())
    return order;
  const size_t metrics = samples[0].z.size();
  struct Node {
    std::vector<size_t> in;
    size_t level;
  };
  std::deque<Node> open{{{}, 0}};
  for (size_t i = 0; i < samples.size(); ++i)
    open[0].in.push_back(i);
  std::vector<std::pair<size_t, Split>> used;  // level, split: breadth first
  while (!open.empty()) {
    Node node = std::move(open.front());
    open.pop_front();
    if (node.level >= options.depth || node.in.size() < 2 * options.min_leaf)
      continue;
    Split best;
    for (size_t k = 0; k < metrics; ++k)
      best_threshold(samples, node.in, k, options.min_leaf, best);
    if (best.gain < 1e-9)
      continue;
    for (const Split& split : with_rivals(samples, node.in, best, options))
      used.emplace_back(node.level, split);
    Node low{{}, node.level + 1};
    Node high{{}, node.level + 1};
    for (const size_t i : node.in)
      (samples[i].z[best.metric] <= best.threshold ? low : high).in.push_back(i);
    open.push_back(std::move(low));
    open.push_back(std::move(high));
  }
  std::ranges::stable_sort(used, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.gain > b.second.gain;
  });
  for (const auto& [level, split] : used) {
    const double gain = split.gain / double(samples.size());
    const auto known = std::ranges::find_if(order, [&, &s = split](const MetricUse& u) {
      return u.metric == s.metric;
    });
    if (known != order.end()) {
      known->gain += gain;
    } else {
      order.push_back({split.metric, gain, split.threshold, level});
    }
  }
  return order;
}

// Ranks metrics by how often decision trees over random halves of the samples use them.
std::vector<MetricUse> prioritise_stable(
    const std::vector<PrioritySample>& samples,
    const StableOptions& options) {
  size_t groups = 0;
  for (const PrioritySample& s : samples)
    groups = std::max(groups, s.group + 1);
  std::map<size_t, MetricUse> used;
  double total = 0;
  for (size_t round = 0; round < options.rounds; ++round) {
    base::Rng rng(options.seed, "stable", round);
    std::vector<bool> in(groups);
    for (size_t g = 0; g < groups; ++g)
      in[g] = rng.below(2) == 0;
    std::vector<PrioritySample> half;
    for (const PrioritySample& s : samples) {
      if (in[s.group])
        half.push_back(s);
    }
    for (const MetricUse& use : prioritise(half, options.tree)) {
      const double before = used[use.metric].gain;
      used[use.metric] = use;
      used[use.metric].gain += before;
      total += use.gain;
    }
  }
  std::vector<MetricUse> out;
  for (const auto& [metric, use] : used) {
    if (use.gain >= options.share * total)
      out.push_back(use);
  }
  std::ranges::stable_sort(out, [](const MetricUse& a, const MetricUse& b) {
    return a.gain > b.gain;
  });
  return out;
}

}  // namespace lento::fleet
