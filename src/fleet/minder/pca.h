// Principal components of few dimensions, for the Mahalanobis baseline.
#pragma once

#include <cstddef>
#include <vector>

namespace lento::fleet {

// Observations with values[row * dims + dimension], a row for each observation.
struct Features {
  const std::vector<double>& values;
  size_t rows = 0;
  size_t dims = 0;
};

// Whitens standardised features: keeps the components that hold `share` of the variance and scales each to
// unit variance with 5 % shrinkage. Distances between rows of the result are Mahalanobis distances. Writes
// out[component * stride + row], grows `out`, returns the number of components.
size_t whiten(const Features& features, double share, std::vector<float>& out, size_t stride);

// Computes the eigenvalues (diagonal of `a`) and eigenvectors (columns) of a symmetric n x n matrix by Jacobi
// rotations, in no particular order.
void jacobi(std::vector<double>& a, size_t n, std::vector<double>& vectors);

}  // namespace lento::fleet
