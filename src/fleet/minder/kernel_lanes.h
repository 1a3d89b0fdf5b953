// The functions of a Kernel for vectors of LENTO_LANES floats. Each kernel_*.cc includes this file once and
// is compiled for its own instruction set, therefore everything has internal linkage.
#pragma once

#include <cstdint>

#include "fleet/minder/kernel.h"

#ifndef LENTO_LANES
#define LENTO_LANES 4
#endif

namespace lento::fleet {
namespace {  // NOLINT

typedef float Lane __attribute__((vector_size(LENTO_LANES * 4)));
typedef int32_t LaneInt __attribute__((vector_size(LENTO_LANES * 4)));
inline Lane exp_of(Lane x);

}  // namespace
}  // namespace lento::fleet

#include "fleet/minder/vae_math.h"

namespace lento::fleet {
namespace {  // NOLINT

constexpr size_t kLanes = LENTO_LANES;

inline Lane exp_of(Lane x) {
  return exp_lanes<Lane, LaneInt>(x);
}

inline Lane load(const float* p) {
  Lane v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Lane v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// Embeds one window of kLanes machines: their latent values, or the reconstructed window.
void embed_block(
    const float* p,
    const float* x,
    size_t x_stride,
    bool latent,
    float* out,
    size_t out_stride) {
  Lane in[vae::kWindow];
  for (size_t t = 0; t < vae::kWindow; ++t)
    in[t] = load(x + t * x_stride);
  Pass<Lane> s;
  encode<Lane>(p, in, static_cast<const Lane*>(nullptr), s);
  if (latent) {
    for (size_t k = 0; k < vae::kLatent; ++k)
      store(out + k * out_stride, s.mu[k]);
    return;
  }
  decode<Lane>(p, s);
  for (size_t t = 0; t < vae::kWindow; ++t)
    store(out + t * out_stride, s.y[t]);
}

// Embeds the windows of all machines, kLanes at a time.
void embed_lanes(
    const float* p,
    const float* x,
    size_t x_stride,
    size_t count,
    bool latent,
    float* out,
    size_t out_stride) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    embed_block(p, x + i, x_stride, latent, out + i, out_stride);
  if (i == count)
    return;
  const size_t rows = latent ? vae::kLatent : vae::kWindow;
  float tail[vae::kWindow * kLanes] = {};
  float result[vae::kLatent * kLanes];
  for (size_t t = 0; t < vae::kWindow; ++t) {
    for (size_t l = 0; i + l < count; ++l)
      tail[t * kLanes + l] = x[t * x_stride + i + l];
  }
  embed_block(p, tail, kLanes, latent, result, kLanes);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t l = 0; i + l < count; ++l)
      out[r * out_stride + i + l] = result[r * kLanes + l];
  }
}

// Returns the loss of kLanes windows and adds their gradients to `grad`.
double
train_lanes(const float* p, const float* x, const float* eps, float inv_mse, float inv_kl, float* grad) {
  Lane in[vae::kWindow];
  Lane draw[vae::kLatent];
  Lane sums[vae::kParameters] = {};
  for (size_t t = 0; t < vae::kWindow; ++t)
    in[t] = load(x + t * kLanes);
  for (size_t k = 0; k < vae::kLatent; ++k)
    draw[k] = load(eps + k * kLanes);
  Pass<Lane> s;
  encode<Lane>(p, in, draw, s);
  decode<Lane>(p, s);
  backward<Lane>(p, in, draw, inv_mse, inv_kl, s, sums);
  for (size_t q = 0; q < vae::kParameters; ++q) {
    float total = 0;
    for (size_t l = 0; l < kLanes; ++l)
      total += sums[q][l];
    grad[q] += total;
  }
  double error = 0;
  for (size_t t = 0; t < vae::kWindow; ++t) {
    const Lane e = s.y[t] - in[t];
    for (size_t l = 0; l < kLanes; ++l)
      error += double(e[l]) * e[l];
  }
  return error;
}

inline Lane root(Lane x) {
  Lane r;
  for (size_t l = 0; l < kLanes; ++l)
    r[l] = __builtin_sqrtf(x[l]);
  return r;
}

// Returns the distance of kLanes machines from the machine `pivot`.
template <Distance kind>
inline Lane distance_of(const float* e, size_t stride, size_t dims, size_t i, size_t pivot) {
  Lane sum{};
  for (size_t d = 0; d < dims; ++d) {
    const Lane diff = load(e + d * stride + i) - e[d * stride + pivot];
    const Lane size = diff < 0.0f ? -diff : diff;
    if constexpr (kind == Distance::Euclid)
      sum += diff * diff;
    if constexpr (kind == Distance::Manhattan)
      sum += size;
    if constexpr (kind == Distance::Chebyshev)
      sum = size > sum ? size : sum;
  }
  if constexpr (kind == Distance::Euclid)
    return root(sum);
  return sum;
}

// Sums the distances of each machine to the pivots. Rows of `e` must be readable up to a multiple of kLanes.
void distance_lanes(
    const float* e,
    size_t stride,
    size_t dims,
    size_t count,
    const size_t* pivots,
    size_t n,
    Distance kind,
    float* sums) {
  const auto sum_distances = [&]<Distance by>() {
    for (size_t i = 0; i < count; i += kLanes) {
      Lane sum{};
      for (size_t p = 0; p < n; ++p)
        sum += distance_of<by>(e, stride, dims, i, pivots[p]);
      for (size_t l = 0; l < kLanes && i + l < count; ++l)
        sums[i + l] = sum[l];
    }
  };
  if (kind == Distance::Euclid)
    return sum_distances.template operator()<Distance::Euclid>();
  if (kind == Distance::Manhattan)
    return sum_distances.template operator()<Distance::Manhattan>();
  sum_distances.template operator()<Distance::Chebyshev>();
}

// Sums and counts the values that are not NaN in the rows [begin, end) of each lane.
void sum_rows_lanes(const float* columns, size_t begin, size_t end, float* sums, float* counts) {
  Lane sum{};
  Lane count{};
  for (size_t i = begin; i < end; ++i) {
    const Lane v = load(columns + i * kLanes);
    sum += v == v ? v : Lane{};
    count += v == v ? Lane{} + 1.0f : Lane{};
  }
  store(sums, sum);
  store(counts, count);
}

// Puts the smaller of two values of each lane first.
inline void order(float* low, float* high) {
  const Lane a = load(low);
  const Lane b = load(high);
  store(low, a < b ? a : b);
  store(high, a < b ? b : a);
}

// Sorts each lane by Batcher's odd-even merge sort for any n (Knuth, TAOCP 3, algorithm 5.2.2M), whose
// comparisons do not depend on the values, so that all lanes share them.
void sort_lanes(float* x, size_t n) {
  for (size_t p = 1; p < n; p *= 2) {
    for (size_t k = p; k >= 1; k /= 2) {
      for (size_t j = k % p; j + k < n; j += 2 * k) {
        if (j % (2 * p) + k >= 2 * p)
          continue;  // the partners lie in the next run
        const size_t end = j + k < n - k ? j + k : n - k;
        for (size_t i = j; i < end; ++i)
          order(x + i * kLanes, x + (i + k) * kLanes);
      }
    }
  }
}

}  // namespace
}  // namespace lento::fleet
