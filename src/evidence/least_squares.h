// Weighted least squares with nuisance columns: effects, their covariance, and which of them the rows can
// tell.
//
//   y = design * coefficient + noise,  variance of noise i = 1 / weight i
//
// Parts and nuisances are columns alike: the covariance of a part's effect already holds the uncertainty of
// the nuisances. An effect that the rows cannot separate from others has coefficient 0 and infinite variance,
// so that its part is reported as not judged. Solved by Householder QR with column pivoting (Golub, Van Loan,
// 5.5.6), whose error grows with the condition of the design and not with its square.
#pragma once

#include <span>
#include <vector>

#include "evidence/matrix.h"
#include "evidence/share.h"

namespace lento::evidence {

enum class Noise {
  Known,     // weights are inverse variances: normal intervals, differences of chi-squared
  Estimated  // weights are relative: variances grow with the residuals, intervals are Student's
};

struct Fit {
  std::vector<double> coefficient;
  Matrix covariance;       // with noise as the weights state it, infinite diagonal where not estimable
  double chi_squared = 0;  // weighted sum of squared residuals
  size_t rows = 0;         // of weight above 0
  size_t rank = 0;

  bool estimable(size_t column) const;
  size_t freedom() const {
    return rows - rank;
  }
  double dispersion() const;  // chi_squared a degree of freedom: near 1 when the weights are right, 0 without
  double deviation(size_t column, Noise noise) const;
  Interval interval(size_t column, double level, Noise noise) const;
};

// An empty `weights` stands for 1 each. Rows of weight 0 count for nothing, others are finite and positive.
Fit least_squares(const Matrix& design, std::span<const double> y, std::span<const double> weights = {});

struct LikelihoodRatio {
  double statistic = 0;  // twice the gain in log likelihood, at least 0
  double chance = 1;     // of such a gain when the smaller model is true (Wilks), exact for known noise
};

// `nested` lacks columns of `full`, same rows and weights. An effect allowed in one direction only halves the
// chance.
LikelihoodRatio likelihood_ratio(const Fit& nested, const Fit& full, Noise noise);

// The nuisances of a fit, taken out once, so that each of many candidate parts costs one pass over the rows
// (Frisch, Waugh, Lovell). The results equal those of a full fit with that one column more.
class Background {
 public:
  Background(const Matrix& nuisances, std::span<const double> y, std::span<const double> weights = {});

  struct Effect {
    double value = 0;
    double information = 0;  // inverse variance for Noise::Known, 0: not separable from the nuisances
    double gain = 0;         // chi-squared that the column takes away
  };
  Effect effect_of(std::span<const double> column) const;

 private:
  Matrix basis_;  // rows x rank, orthonormal
  std::vector<double> root_weight_;
  std::vector<double> residual_;
};

// The effect that is named with chance `power`, when an estimate above `threshold` deviations is named. The
// deviation of an effect of Fisher information I is 1 / sqrt(I), infinity when I is 0.
double detectable_effect(double information, double threshold, double power = 0.95);

// Solves normal equations that are already summed: `normal` is symmetric and positive definite, of which the
// lower triangle is read. `variance` is the diagonal of the inverse. Throws base::Bug when it is not
// definite.
struct NormalSolution {
  std::vector<double> value;
  std::vector<double> variance;
};
NormalSolution solve_normal(const Matrix& normal, std::span<const double> right);

}  // namespace lento::evidence
