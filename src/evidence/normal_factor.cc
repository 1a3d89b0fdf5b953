// Cholesky's decomposition by Eigen. Variances are squared lengths of whitened unit vectors.
#include "evidence/normal_factor.h"

#include <Eigen/Dense>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace lento::evidence {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> view(const Matrix& m) {
  return {m.values.data(), Eigen::Index(m.rows), Eigen::Index(m.columns)};
}

}  // namespace

NormalFactor::NormalFactor(Matrix normal)
    : lower_(std::move(normal)) {
  const Eigen::LLT<Rows, Eigen::Lower> factor(view(lower_));
  LENTO_CHECK(factor.info() == Eigen::Success, "normal equations are positive definite");
  Eigen::Map<Rows>(lower_.values.data(), Eigen::Index(lower_.rows), Eigen::Index(lower_.columns)) =
      factor.matrixL();
}

std::vector<double> NormalFactor::solve(std::span<const double> right) const {
  std::vector<double> out(right.begin(), right.end());
  Eigen::Map<Eigen::VectorXd> x(out.data(), Eigen::Index(out.size()));
  view(lower_).triangularView<Eigen::Lower>().solveInPlace(x);
  view(lower_).transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  return out;
}

void NormalFactor::whiten(Matrix& rows) const {
  Eigen::Map<Rows> r(rows.values.data(), Eigen::Index(rows.rows), Eigen::Index(rows.columns));
  view(lower_).triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheLeft>(r.transpose());
}

std::vector<double> NormalFactor::variances() const {
  Matrix units(lower_.rows, lower_.rows);
  for (size_t i = 0; i < units.rows; ++i)
    units(i, i) = 1;
  whiten(units);
  std::vector<double> out;
  for (size_t i = 0; i < units.rows; ++i) {
    const std::span<const double> row = std::as_const(units).row(i);
    out.push_back(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  }
  return out;
}

double NormalFactor::log_determinant() const {
  return 2 * view(lower_).diagonal().array().log().sum();
}

double NormalFactor::variance_of_sum(size_t one, size_t other) const {
  Matrix sum(1, lower_.rows);
  sum(0, one) += 1;
  sum(0, other) += 1;
  whiten(sum);
  return std::inner_product(sum.values.begin(), sum.values.end(), sum.values.begin(), 0.0);
}

}  // namespace lento::evidence
