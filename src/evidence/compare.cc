// The exact distribution of the rank sum counts, for each sum of doubled mean ranks, the subsets of the first
// sample's size that reach it (a knapsack over the ranks, ties included).
#include "evidence/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "evidence/distribution.h"

namespace lento::evidence {
namespace {

constexpr size_t kMostExact = 40;  // C(40, 20) is below 2^53: counts in doubles stay exact

struct Ranks {
  std::vector<size_t> doubled;  // twice the mean rank of each value, the first sample in front
  double tie_loss = 0;          // sum of t^3 - t over groups of equal values
};

// Returns twice the rank of each value among both samples, where equal values share a mean rank, and the
// correction for ties.
Ranks ranks_of(std::span<const double> first, std::span<const double> second) {
  std::vector<double> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) {
    return all[i];
  });
  Ranks out{std::vector<size_t>(all.size())};
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && all[order[end]] == all[order[i]])
      ++end;
    const double ties = double(end - i);
    out.tie_loss += ties * ties * ties - ties;
    for (size_t k = i; k < end; ++k)
      out.doubled[order[k]] = i + 1 + end;
    i = end;
  }
  return out;
}

// Shares of all subsets of `size` ranks whose sum is at least, and at most, `sum`.
std::pair<double, double> exact_tails(const std::vector<size_t>& ranks, size_t size, size_t sum) {
  const size_t most = std::accumulate(ranks.begin(), ranks.end(), size_t{0});
  std::vector<std::vector<double>> ways(size + 1, std::vector<double>(most + 1));
  ways[0][0] = 1;
  for (const size_t rank : ranks)
    for (size_t k = size; k >= 1; --k)
      for (size_t s = most; s >= rank; --s)
        ways[k][s] += ways[k - 1][s - rank];
  double all = 0;
  double above = 0;
  double below = 0;
  for (size_t s = 0; s <= most; ++s) {
    all += ways[size][s];
    above += s >= sum ? ways[size][s] : 0;
    below += s <= sum ? ways[size][s] : 0;
  }
  return {above / all, below / all};
}

}  // namespace

RankSum rank_sum(std::span<const double> first, std::span<const double> second) {
  RankSum out;
  if (first.empty() || second.empty())
    return out;
  const Ranks ranks = ranks_of(first, second);
  const double n = double(first.size());
  const double m = double(second.size());
  const auto own_end = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(first.size());
  const size_t sum = std::accumulate(ranks.doubled.begin(), own_end, size_t{0});
  const double u = double(sum) / 2 - n * (n + 1) / 2;
  out.superiority = u / (n * m);
  if (ranks.doubled.size() <= kMostExact) {
    std::tie(out.greater, out.less) = exact_tails(ranks.doubled, first.size(), sum);
    return out;
  }
  out.exact = false;
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ranks.tie_loss / (total * (total - 1)));
  if (!(variance > 0))
    return out;  // all values are equal
  const double off = u - n * m / 2;
  out.greater = normal_cdf(-(off - 0.5) / std::sqrt(variance));
  out.less = normal_cdf((off + 0.5) / std::sqrt(variance));
  return out;
}

}  // namespace lento::evidence
