// Least squares from normal equations that are already summed, with the variance of each unknown.
//
// The rows of the problem are many and are summed by the caller as it computes them, so that none is kept.
// Solved by Cholesky's factor (Golub, Van Loan, 4.2).
#pragma once

#include <span>
#include <vector>

#include "evidence/matrix.h"

namespace lento::evidence {

// The solution of normal equations and the variance of each unknown, the diagonal of the inverse of
// `normal`. The matrix must be symmetric and positive definite, and only its lower triangle is read. Throws
// base::Bug when it is not definite.
struct NormalSolution {
  std::vector<double> value;
  std::vector<double> variance;
};
NormalSolution solve_normal(const Matrix& normal, std::span<const double> right);

}  // namespace lento::evidence
