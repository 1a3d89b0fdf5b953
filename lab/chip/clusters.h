// DBSCAN (Ester 1996) on points of one or two dimensions: which points lie in dense clusters and which are
// noise. Two of the published baselines single out components by it.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace lento::chip {

using Point = std::array<double, 2>;

// Cluster of each point from 0, or -1 for noise. A point with at least `least` points (itself included)
// within `radius` is a core of a cluster. Cost: points squared.
std::vector<int> dbscan(const std::vector<Point>& points, double radius, size_t least);

// Returns the number of the cluster with most points, or -1 when all points are noise.
int largest_cluster(const std::vector<int>& clusters);

}  // namespace lento::chip
