// Packs directed rings that share no lane, by exact search.
//
// Lanes are full duplex and symmetric, so the best set of directed rings is a best set of undirected ones,
// each used both ways. All undirected Hamiltonian cycles over `count` devices are listed (at most 7!/2 for
// eight), then a depth-first search packs as many as the lanes allow, stopping at the bound floor(min degree
// / 2).
#include <algorithm>
#include <functional>

#include "predict/time/collective.h"

namespace lento::predict {
namespace {

constexpr int kExactLimit = 8;

using Matrix = std::vector<std::vector<int>>;

// Returns the number of link lanes between each two of the first `count` devices.
Matrix lane_matrix(const NodeLinks& links, int count) {
  Matrix lanes(count, std::vector<int>(count, 0));
  for (const NodeLinks::Link& link : links.links) {
    if (link.a >= count || link.b >= count)
      continue;
    lanes[link.a][link.b] += link.lanes;
    lanes[link.b][link.a] += link.lanes;
  }
  return lanes;
}

// Returns every Hamiltonian cycle once. A cycle starts at device 0, and its second device has a smaller
// number than its last.
std::vector<std::vector<int>> cycles(const Matrix& lanes) {
  const int count = int(lanes.size());
  std::vector<std::vector<int>> found;
  std::vector<int> order(count - 1);
  for (int i = 1; i < count; ++i)
    order[i - 1] = i;
  do {
    if (count > 2 && order.front() > order.back())
      continue;
    bool linked = lanes[0][order.front()] > 0 && lanes[order.back()][0] > 0;
    for (int i = 0; linked && i + 1 < count - 1; ++i)
      linked = lanes[order[i]][order[i + 1]] > 0;
    if (!linked)
      continue;
    std::vector<int> ring = {0};
    ring.insert(ring.end(), order.begin(), order.end());
    found.push_back(std::move(ring));
  } while (std::next_permutation(order.begin(), order.end()));
  return found;
}

// Removes the lanes of a ring from `lanes` (sign 1) or puts them back (sign -1). Returns false when a lane is
// missing.
bool take(Matrix& lanes, const std::vector<int>& ring, int sign) {
  bool possible = true;
  for (size_t i = 0; i < ring.size(); ++i) {
    const int a = ring[i];
    const int b = ring[(i + 1) % ring.size()];
    lanes[a][b] -= sign;
    lanes[b][a] -= sign;
    possible = possible && lanes[a][b] >= 0;
  }
  return possible;
}

// Returns an upper limit on disjoint rings: each uses two lanes of every device.
int degree_bound(const Matrix& lanes) {
  int bound = 1 << 20;
  for (const auto& row : lanes) {
    int degree = 0;
    for (const int n : row)
      degree += n;
    bound = std::min(bound, degree / 2);
  }
  return bound;
}

// Returns the indices of the most rings that share no lane, by branch and bound.
std::vector<int> best_packing(Matrix& lanes, const std::vector<std::vector<int>>& rings) {
  const int bound = degree_bound(lanes);
  std::vector<int> chosen;
  std::vector<int> best;
  int budget = 2'000'000;  // search steps, enough for every graph of eight devices with eight lanes each
  std::function<void(size_t)> descend = [&](size_t from) {
    if (chosen.size() > best.size())
      best = chosen;
    for (size_t r = from; r < rings.size() && int(best.size()) < bound && --budget > 0; ++r) {
      if (take(lanes, rings[r], 1)) {
        chosen.push_back(int(r));
        descend(r);
        chosen.pop_back();
      }
      take(lanes, rings[r], -1);
    }
  };
  descend(0);
  return best;
}

}  // namespace

std::vector<std::vector<int>> disjoint_rings(const NodeLinks& links, int count) {
  std::vector<std::vector<int>> out;
  if (count < 2 || count > kExactLimit)
    return out;
  Matrix lanes = lane_matrix(links, count);
  if (count == 2) {
    out.assign(lanes[0][1], {0, 1});
    return out;
  }
  const std::vector<std::vector<int>> all = cycles(lanes);
  for (const int index : best_packing(lanes, all)) {
    out.push_back(all[index]);
    out.push_back({all[index].rbegin(), all[index].rend()});
  }
  return out;
}

}  // namespace lento::predict
