// Normal equations by Cholesky's factor, whose inverse also gives the variances.
#define EIGEN_MPL2_ONLY
#include "evidence/least_squares.h"

#include <Eigen/Cholesky>

#include "base/error.h"

namespace lento::evidence {

NormalSolution solve_normal(const Matrix& normal, std::span<const double> right) {
  LENTO_CHECK(normal.rows == normal.columns && right.size() == normal.rows, "as many equations as unknowns");
  NormalSolution out{std::vector<double>(normal.rows), std::vector<double>(normal.rows)};
  if (normal.rows == 0)
    return out;
  const auto n = Eigen::Index(normal.rows);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> matrix(normal.values.data(), n, n);
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
  LENTO_CHECK(factor.info() == Eigen::Success, "normal equations are positive definite");
  const Eigen::Map<const Eigen::VectorXd> given(right.data(), n);
  Eigen::Map<Eigen::VectorXd>(out.value.data(), n) = factor.solve(given);
  const Eigen::MatrixXd inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(n, n));
  Eigen::Map<Eigen::VectorXd>(out.variance.data(), n) = inverse.colwise().squaredNorm();
  return out;
}

}  // namespace lento::evidence
