// Principal components of few dimensions, for the Mahalanobis baseline.
#pragma once

#include <cstddef>
#include <vector>

namespace lento::fleet {

// Whitens `rows` x `dims` features: components that hold `share` of the variance (of standardised features),
// each scaled to unit variance with 5 % shrinkage. Distances between rows of the result are Mahalanobis
// distances. Writes out[component * stride + row], grows `out`, returns the number of components.
size_t whiten(
    const std::vector<double>& features,
    size_t rows,
    size_t dims,
    double share,
    std::vector<float>& out,
    size_t stride);

// Eigenvalues and eigenvectors (columns) of a symmetric n x n matrix by Jacobi rotations, unordered.
void jacobi(std::vector<double>& a, size_t n, std::vector<double>& vectors);

}  // namespace lento::fleet
