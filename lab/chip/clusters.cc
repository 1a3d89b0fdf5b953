// Finds clusters by comparing all pairs of points, which is fast enough for the points of one chip.
#include "lab/chip/clusters.h"

#include <algorithm>
#include <map>

namespace lento::chip {
namespace {

std::vector<size_t> near(const std::vector<Point>& points, size_t of, double radius) {
  std::vector<size_t> out;
  for (size_t i = 0; i < points.size(); ++i) {
    const double x = points[i][0] - points[of][0];
    const double y = points[i][1] - points[of][1];
    if (x * x + y * y <= radius * radius)
      out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<int> dbscan(const std::vector<Point>& points, double radius, size_t least) {
  std::vector<int> cluster(points.size(), -1);
  int next = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (cluster[i] >= 0)
      continue;
    std::vector<size_t> open = near(points, i, radius);
    if (open.size() < least)
      continue;
    cluster[i] = next;
    while (!open.empty()) {
      const size_t p = open.back();
      open.pop_back();
      if (cluster[p] >= 0)
        continue;
      cluster[p] = next;
      const std::vector<size_t> more = near(points, p, radius);
      if (more.size() >= least)
        open.insert(open.end(), more.begin(), more.end());
    }
    ++next;
  }
  return cluster;
}

int largest_cluster(const std::vector<int>& clusters) {
  std::map<int, size_t> sizes;
  for (const int c : clusters)
    if (c >= 0)
      ++sizes[c];
  int best = -1;
  for (const auto& [cluster, size] : sizes)
    if (best < 0 || size > sizes[best])
      best = cluster;
  return best;
}

}  // namespace lento::chip
