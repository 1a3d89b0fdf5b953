// Principal components by Jacobi rotations, and whitening of features with a small shrinkage.
#include "fleet/minder/pca.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace lento::fleet {

void jacobi(std::vector<double>& a, size_t n, std::vector<double>& v) {
  v.assign(n * n, 0);
  for (size_t i = 0; i < n; ++i)
    v[i * n + i] = 1;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    double diagonal = 0;
    for (size_t i = 0; i < n; ++i) {
      diagonal += a[i * n + i] * a[i * n + i];
      for (size_t j = i + 1; j < n; ++j)
        off += a[i * n + j] * a[i * n + j];
    }
    if (off <= 1e-16 * diagonal)
      return;
    for (size_t p = 0; p < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        if (std::abs(a[p * n + q]) < 1e-300)
          continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (size_t k = 0; k < n; ++k) {
          const double kp = a[k * n + p];
          const double kq = a[k * n + q];
          a[k * n + p] = c * kp - s * kq;
          a[k * n + q] = s * kp + c * kq;
        }
        for (size_t k = 0; k < n; ++k) {
          const double pk = a[p * n + k];
          const double qk = a[q * n + k];
          a[p * n + k] = c * pk - s * qk;
          a[q * n + k] = s * pk + c * qk;
          const double vp = v[k * n + p];
          const double vq = v[k * n + q];
          v[k * n + p] = c * vp - s * vq;
          v[k * n + q] = s * vp + c * vq;
        }
      }
    }
  }
}

size_t whiten(const Features& features, double share, std::vector<float>& out, size_t stride) {
  const auto [values, rows, dims] = features;
  std::vector<double> x = values;
  std::vector<double> mean(dims, 0);
  std::vector<double> sd(dims, 0);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t d = 0; d < dims; ++d)
      mean[d] += x[r * dims + d] / double(rows);
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t d = 0; d < dims; ++d) {
      x[r * dims + d] -= mean[d];
      sd[d] += x[r * dims + d] * x[r * dims + d] / double(rows);
    }
  }
  std::vector<double> cov(dims * dims, 0);
  std::vector<double> vectors;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t d = 0; d < dims; ++d)
      x[r * dims + d] /= std::sqrt(sd[d]) + 1e-9;
    for (size_t i = 0; i < dims; ++i) {
      for (size_t j = 0; j < dims; ++j)
        cov[i * dims + j] += x[r * dims + i] * x[r * dims + j] / double(rows);
    }
  }
  jacobi(cov, dims, vectors);
  std::vector<size_t> order(dims);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&cov, n = dims](size_t d) {
    return cov[d * n + d];
  });
  double total = 0;
  double kept = 0;
  for (size_t d = 0; d < dims; ++d)
    total += cov[d * dims + d];
  size_t components = 0;
  out.resize(std::max(out.size(), dims * stride));
  while (components < dims && kept < share * total) {
    const size_t c = order[components];
    const double value = std::max(cov[c * dims + c], 0.0);
    kept += value;
    const double scale = 1 / std::sqrt(0.95 * value + 0.05 * total / double(dims) + 1e-12);
    for (size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (size_t d = 0; d < dims; ++d)
        sum += x[r * dims + d] * vectors[d * dims + c];
      out[components * stride + r] = float(sum * scale);
    }
    ++components;
  }
  if (components > 0)
    return components;
  // No feature varies, so all rows get the same point.
  std::fill_n(out.begin(), rows, 0.0f);
  return 1;
}

}  // namespace lento::fleet
