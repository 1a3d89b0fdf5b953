// The Cholesky factor of the matrix of summed normal equations, for several uses of one decomposition.
//
// A model with sparse rows sums its normal equations itself. From the factor it then takes coefficients,
// variances of sums of coefficients, and the lengths of many whitened candidate columns, from which follows
// how much of each column the other unknowns do not explain.
#pragma once

#include <span>
#include <vector>

#include "evidence/matrix.h"

namespace lento::evidence {

class NormalFactor {
 public:
  // `normal` is symmetric and positive definite. Only its lower triangle is read. Throws base::Bug when it is
  // not definite.
  explicit NormalFactor(Matrix normal);

  std::vector<double> solve(std::span<const double> right) const;
  std::vector<double> variances() const;  // the diagonal of the inverse
  // Variance of the sum of two coefficients.
  double variance_of_sum(size_t one, size_t other) const;
  double log_determinant() const;
  // Replaces each row v by L^-1 v, where L is the lower factor of the matrix N = L L'. The squared length of
  // the result is v' N^-1 v.
  void whiten(Matrix& rows) const;

 private:
  Matrix lower_;
};

}  // namespace lento::evidence
