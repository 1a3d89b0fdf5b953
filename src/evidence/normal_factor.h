// The factor of normal equations that are already summed: one decomposition, many questions.
//
// A model whose rows are sparse sums its normal equations itself, and then asks for coefficients, for
// variances of sums of coefficients, and for what many candidate columns keep of their information.
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
  // Replaces each row v by L^-1 v with the factor L, whose squared length is v' N^-1 v.
  void whiten(Matrix& rows) const;

 private:
  Matrix lower_;
};

}  // namespace lento::evidence
