// Finds patterns of contention windows. Closed item sets are mined, and the common items of the costliest
// function pairs are added, which mining may miss below its support. Each set is charged the cycles of its
// windows and tested against the control windows, with p multiplied by the number of sets tested
// (Bonferroni).
#include "memory/mine/contention_patterns.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "memory/mine/base_rate.h"
#include "memory/mine/itemset/itemset.h"

namespace lento::memory {
namespace {

constexpr uint64_t kMostSets = 500;
constexpr size_t kPairs = 8;  // costliest function pairs that are always judged

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

bool holds(const WindowFacts& window, const std::vector<uint32_t>& items) {
  return std::includes(window.items.begin(), window.items.end(), items.begin(), items.end());
}

// Mines closed sets at the least support that gives at most kMostSets of them, in steps of 0.05.
std::vector<std::vector<uint32_t>>
closed_sets(const WindowScan& scan, const ContentionOptions& options, double& used) {
  Transactions data;
  for (const WindowFacts& w : scan.windows)
    data.add(w.items);
  for (used = options.least_support();; used = std::min(1.0, used + 0.05)) {
    std::vector<std::vector<uint32_t>> sets;
    MineOptions mine;
    mine.min_support = parse_support(std::to_string(used * 100) + "%", data.size());
    mine.kind = used >= 1 ? SetKind::Maximal : SetKind::Closed;
    mine.threads = 1;
    mine.most_sets = kMostSets + 1;
    mine.sink = [&](std::span<const uint32_t> items, uint64_t) {
      if (sets.size() <= kMostSets)
        sets.emplace_back(items.begin(), items.end());
    };
    if (options.paper) {
      // With options.paper a pattern must contain items of at least two CPUs, when windows have several. The
      // item kinds CpuFunction, CpuType and CpuLatency carry a CPU number.
      mine.constraint.count_min = !scan.windows.empty() && scan.windows.front().cpus.count() > 1 ? 2 : 1;
      mine.constraint.count_mask = ~uint64_t{0};
      for (uint32_t id = 0; id < scan.items.size(); ++id) {
        const Items::Item& item = scan.items.item(id);
        const bool prefixed = item.kind == Items::Kind::CpuFunction || item.kind == Items::Kind::CpuType ||
                              item.kind == Items::Kind::CpuLatency;
        mine.constraint.item_class.push_back(prefixed ? uint64_t{1} << item.cpu % 64 : 0);
      }
    }
    mine_itemsets(data, mine);
    if (sets.size() <= kMostSets || used >= 1) {
      for (auto& set : sets)
        std::ranges::sort(set);
      return sets;
    }
  }
}

// For each of the costliest pairs of a delayed and a delaying function, adds the items common to all windows
// that contain both. Such a set is closed.
void add_costly_pairs(const WindowScan& scan, const Scan& trace, std::set<std::vector<uint32_t>>& sets) {
  std::vector<std::pair<uint64_t, std::pair<uint32_t, uint32_t>>> pairs;
  for (const auto& [pair, blame] : trace.function_blame)
    pairs.push_back({blame.cycles, pair});
  std::ranges::sort(pairs, [](const auto& a, const auto& b) {
    if (a.first != b.first)
      return a.first > b.first;
    return a.second < b.second;
  });
  pairs.resize(std::min(pairs.size(), kPairs));
  for (const auto& [cycles, pair] : pairs) {
    std::vector<uint32_t> common;
    bool any = false;
    for (const WindowFacts& w : scan.windows) {
      const auto has = [&](uint32_t function) {
        return std::ranges::any_of(w.ranges, [&](const auto& r) {
          return r.function == function;
        });
      };
      if (!has(pair.first) || !has(pair.second))
        continue;
      std::vector<uint32_t> both;
      std::set_intersection(
          common.begin(),
          common.end(),
          w.items.begin(),
          w.items.end(),
          std::back_inserter(both));
      common = any ? both : w.items;
      any = true;
    }
    if (any && !common.empty())
      sets.insert(common);
  }
}

// Sums cost, CPUs and code ranges over the windows that hold the pattern.
void add_cost(const WindowScan& scan, Pattern& pattern) {
  std::set<uint32_t> functions;
  for (const uint32_t id : pattern.items) {
    const Items::Item& item = scan.items.item(id);
    if (item.kind == Items::Kind::Function)
      functions.insert(uint32_t(item.value));
  }
  for (const WindowFacts& w : scan.windows) {
    if (!holds(w, pattern.items))
      continue;
    ++pattern.support;
    pattern.excess += w.excess;
    pattern.cpus |= w.cpus;
    for (const auto& pair : w.blame) {
      if (functions.contains(pair.victim) && functions.contains(pair.culprit))
        pattern.explained += pair.cycles;
    }
    for (const auto& range : w.ranges) {
      if (!functions.contains(range.function))
        continue;
      auto at = std::ranges::find_if(pattern.ranges, [&](const auto& r) {
        return r.function == range.function;
      });
      if (at == pattern.ranges.end())
        at = pattern.ranges.insert(at, range);
      at->low = std::min(at->low, range.low);
      at->high = std::max(at->high, range.high);
    }
  }
}

// Compares the pattern with the control windows. `tests` is the number of patterns judged.
void add_base_rate(const WindowScan& scan, const BaseRate& base, double tests, Pattern& pattern) {
  const BaseRate::Rate rate = base.of([&](const WindowFacts& w) {
    return holds(w, pattern.items);
  });
  pattern.control = rate.control_hits;
  pattern.share = rate.share;
  pattern.lift = rate.lift;
  pattern.p = std::min(
      1.0,
      tests * fisher_tail(pattern.support, scan.windows.size(), pattern.control, scan.controls.size()));
}

}  // namespace

double fisher_tail(uint64_t hits, uint64_t windows, uint64_t other_hits, uint64_t others) {
  const double n = double(windows);
  const double m = double(others);
  const double marks = double(hits + other_hits);
  const double all = log_choose(n + m, marks);
  double sum = 0;
  for (double k = double(hits); k <= std::min(n, marks); ++k) {
    if (marks - k > m)
      continue;
    const double term = std::exp(log_choose(n, k) + log_choose(m, marks - k) - all);
    sum += term;
    if (term < sum * 1e-12)
      break;
  }
  return std::min(1.0, sum);
}

std::vector<Pattern> find_patterns(
    const WindowScan& scan,
    const Scan& trace,
    const ContentionOptions& options,
    size_t most,
    double& used_support) {
  std::set<std::vector<uint32_t>> sets;
  for (auto& set : closed_sets(scan, options, used_support))
    sets.insert(std::move(set));
  if (!options.paper)
    add_costly_pairs(scan, trace, sets);
  std::vector<Pattern> patterns;
  for (const std::vector<uint32_t>& set : sets) {
    const bool names_function = std::ranges::any_of(set, [&](uint32_t id) {
      return scan.items.item(id).kind == Items::Kind::Function;
    });
    if (!names_function)
      continue;
    Pattern pattern;
    pattern.items = set;
    patterns.push_back(std::move(pattern));
    if (patterns.size() * std::max<size_t>(1, scan.windows.size()) > 400'000'000)
      break;
  }
  for (Pattern& pattern : patterns)
    add_cost(scan, pattern);
  const auto key = [&](const Pattern& p) {
    if (options.paper)
      return p.support;
    if (trace.culprits_known)
      return p.explained;
    return p.excess;
  };
  // Ranks by the costliest entry of the blame matrix that the pattern names, then by the cycles it explains.
  const auto worst_pair = [&](const Pattern& p) -> uint64_t {
    if (options.paper)
      return 0;
    uint64_t worst = 0;
    for (const auto& victim : p.ranges) {
      for (const auto& culprit : p.ranges) {
        const auto at = trace.function_blame.find({victim.function, culprit.function});
        if (at != trace.function_blame.end())
          worst = std::max(worst, at->second.cycles);
      }
    }
    return worst;
  };
  std::ranges::stable_sort(patterns, [&](const Pattern& a, const Pattern& b) {
    if (worst_pair(a) != worst_pair(b))
      return worst_pair(a) > worst_pair(b);
    if (key(a) != key(b))
      return key(a) > key(b);
    if (a.items.size() != b.items.size())
      return a.items.size() > b.items.size();
    return a.items < b.items;
  });
  const double tests = double(patterns.size());
  if (patterns.size() > most)
    patterns.resize(most);
  const BaseRate base(trace, scan);
  for (Pattern& pattern : patterns)
    add_base_rate(scan, base, tests, pattern);
  return patterns;
}

}  // namespace lento::memory
