// Columns are scaled to length one before the QR, so that the rank does not depend on their units. With rank
// r, R = [R1 R2; 0 0]: the dropped columns are R1^-1 R2 of the kept ones, and an effect that takes part in
// such a relation is not estimable. The kept ones have covariance (R1' R1)^-1.
#define EIGEN_MPL2_ONLY
#include "evidence/least_squares.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "evidence/distribution.h"

namespace lento::evidence {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kDependent = 1e-9;  // of a column of length 1: less than this left over is rounding

struct Scaled {
  Eigen::MatrixXd design;
  Eigen::VectorXd length;  // of the weighted columns, 1 for a column of zeros
};

Eigen::VectorXd root_weights(std::span<const double> weights, size_t rows) {
  if (weights.empty())
    return Eigen::VectorXd::Ones(Eigen::Index(rows));
  LENTO_CHECK(weights.size() == rows, "each row has one weight");
  return Eigen::Map<const Eigen::ArrayXd>(weights.data(), Eigen::Index(rows)).sqrt();
}

Eigen::VectorXd weighted(std::span<const double> y, const Eigen::VectorXd& root) {
  LENTO_CHECK(Eigen::Index(y.size()) == root.size(), "each row has one observation");
  return Eigen::Map<const Eigen::VectorXd>(y.data(), root.size()).cwiseProduct(root);
}

Scaled scaled(const Matrix& m, const Eigen::VectorXd& root) {
  const Eigen::Map<const RowMajor> plain(m.values.data(), Eigen::Index(m.rows), Eigen::Index(m.columns));
  Scaled out{root.asDiagonal() * plain, {}};
  out.length = out.design.colwise().norm();
  out.length = (out.length.array() > 0).select(out.length, 1.0);
  out.design *= out.length.cwiseInverse().asDiagonal();
  return out;
}

Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factorized(const Scaled& s) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(s.design.rows(), s.design.cols());
  qr.setThreshold(kDependent);
  qr.compute(s.design);
  return qr;
}

}  // namespace

bool Fit::estimable(size_t column) const {
  return std::isfinite(covariance(column, column));
}

double Fit::dispersion() const {
  return freedom() > 0 ? chi_squared / double(freedom()) : 0;
}

double Fit::deviation(size_t column, Noise noise) const {
  const double variance = covariance(column, column);
  if (noise == Noise::Known)
    return std::sqrt(variance);
  return freedom() > 0 ? std::sqrt(variance * dispersion()) : kUnbounded;
}

Interval Fit::interval(size_t column, double level, Noise noise) const {
  const double own = deviation(column, noise);
  if (!std::isfinite(own))
    return {-kUnbounded, kUnbounded};
  const double p = (1 + level) / 2;
  const double wide =
      own * (noise == Noise::Known ? normal_quantile(p) : student_quantile(p, double(freedom())));
  return {coefficient[column] - wide, coefficient[column] + wide};
}

Fit least_squares(const Matrix& design, std::span<const double> y, std::span<const double> weights) {
  LENTO_CHECK(y.size() == design.rows, "each row has one observation");
  Fit fit;
  fit.coefficient.resize(design.columns);
  fit.covariance = Matrix(design.columns, design.columns);
  const Eigen::VectorXd root = root_weights(weights, design.rows);
  fit.rows = size_t((root.array() > 0).count());
  const Eigen::VectorXd seen = weighted(y, root);
  fit.chi_squared = seen.squaredNorm();
  if (design.rows == 0 || design.columns == 0) {
    for (size_t c = 0; c < design.columns; ++c)
      fit.covariance(c, c) = kUnbounded;
    return fit;
  }
  const Scaled s = scaled(design, root);
  const auto qr = factorized(s);
  const Eigen::Index rank = qr.rank();
  const Eigen::Index dropped = s.design.cols() - rank;
  const auto order = qr.colsPermutation().indices();
  const auto corner = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  const Eigen::VectorXd turned = qr.householderQ().transpose() * seen;
  const Eigen::VectorXd x = corner.solve(turned.head(rank));
  const Eigen::MatrixXd inverse = corner.solve(Eigen::MatrixXd::Identity(rank, rank));
  Eigen::MatrixXd related(rank, dropped);
  if (related.size() > 0)  // Eigen forms a reference to the first element of what it solves for
    related = corner.solve(qr.matrixR().topRightCorner(rank, dropped).eval());
  fit.rank = size_t(rank);
  fit.chi_squared = turned.tail(turned.size() - rank).squaredNorm();
  std::vector<char> told(design.columns, 0);
  for (Eigen::Index i = 0; i < rank; ++i)
    told[size_t(order[i])] = dropped == 0 || related.row(i).cwiseAbs().maxCoeff() < std::sqrt(kDependent);
  for (Eigen::Index i = 0; i < rank; ++i) {
    const Eigen::Index a = order[i];
    if (!told[size_t(a)])
      continue;
    fit.coefficient[size_t(a)] = x[i] / s.length[a];
    for (Eigen::Index j = 0; j < rank; ++j) {
      const Eigen::Index b = order[j];
      if (told[size_t(b)])
        fit.covariance(size_t(a), size_t(b)) =
            inverse.row(i).dot(inverse.row(j)) / (s.length[a] * s.length[b]);
    }
  }
  for (size_t c = 0; c < design.columns; ++c)
    if (!told[c])
      fit.covariance(c, c) = kUnbounded;
  return fit;
}

LikelihoodRatio likelihood_ratio(const Fit& nested, const Fit& full, Noise noise) {
  LENTO_CHECK(
      nested.rows == full.rows && nested.rank <= full.rank,
      "a nested fit has the same rows, fewer columns");
  LikelihoodRatio out;
  if (nested.rank == full.rank)
    return out;
  if (noise == Noise::Known)
    out.statistic = std::max(0.0, nested.chi_squared - full.chi_squared);
  else if (nested.chi_squared > 0)
    out.statistic = std::max(0.0, double(full.rows) * std::log(nested.chi_squared / full.chi_squared));
  const double added = double(full.rank - nested.rank);
  if (noise == Noise::Known) {
    out.chance = chi_squared_tail(out.statistic, added);
  } else if (full.freedom() > 0) {
    // The ratio of the sums of squares is beta distributed, for any number of rows.
    const double left = std::exp(-out.statistic / double(full.rows));
    out.chance = beta_cdf(left, double(full.freedom()) / 2, added / 2);
  }
  return out;
}

Background::Background(const Matrix& nuisances, std::span<const double> y, std::span<const double> weights) {
  LENTO_CHECK(y.size() == nuisances.rows, "each row has one observation");
  const Eigen::VectorXd root = root_weights(weights, nuisances.rows);
  Eigen::VectorXd left = weighted(y, root);
  basis_ = Matrix(nuisances.rows, 0);
  if (nuisances.rows > 0 && nuisances.columns > 0) {
    const auto qr = factorized(scaled(nuisances, root));
    basis_ = Matrix(nuisances.rows, size_t(qr.rank()));
    const Eigen::MatrixXd thin =
        qr.householderQ() * Eigen::MatrixXd::Identity(Eigen::Index(nuisances.rows), qr.rank());
    Eigen::Map<RowMajor>(basis_.values.data(), thin.rows(), thin.cols()) = thin;
    left -= thin * (thin.transpose() * left);
  }
  root_weight_.assign(root.begin(), root.end());
  residual_.assign(left.begin(), left.end());
}

Background::Effect Background::effect_of(std::span<const double> column) const {
  const auto rows = Eigen::Index(residual_.size());
  const Eigen::Map<const Eigen::VectorXd> root(root_weight_.data(), rows);
  const Eigen::Map<const Eigen::VectorXd> residual(residual_.data(), rows);
  const Eigen::Map<const RowMajor> basis(basis_.values.data(), rows, Eigen::Index(basis_.columns));
  Eigen::VectorXd own = weighted(column, root);
  const double length = own.squaredNorm();
  own -= basis * (basis.transpose() * own);
  Effect e;
  const double left = own.squaredNorm();
  if (!(left > kDependent * kDependent * length))
    return e;
  const double together = own.dot(residual);
  e.information = left;
  e.value = together / left;
  e.gain = together * together / left;
  return e;
}

double detectable_effect(double information, double threshold, double power) {
  if (!(information > 0))
    return kUnbounded;
  return (threshold + normal_quantile(power)) / std::sqrt(information);
}

NormalSolution solve_normal(const Matrix& normal, std::span<const double> right) {
  LENTO_CHECK(normal.rows == normal.columns && right.size() == normal.rows, "as many equations as unknowns");
  NormalSolution out{std::vector<double>(normal.rows), std::vector<double>(normal.rows)};
  if (normal.rows == 0)
    return out;
  const auto n = Eigen::Index(normal.rows);
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
