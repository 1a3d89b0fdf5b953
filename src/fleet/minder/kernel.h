// The inner loops of the LSTM-VAE and of the distances, compiled three times (AVX-512, AVX2, baseline) and
// chosen at run time. A lane is one machine or one training window. Arrays are [index][lane] with contiguous
// lanes.
//
// Network (hidden 4, latent 8, window 8, gates in the order i, f, g, o):
//   h_t, c_t = LSTM_enc(x_t)   mu = A h_W + a   lv = B h_W + b   z = mu + exp(lv/2) eps   d = C z + c
//   h'_t     = LSTM_dec(d)     y_t = O h'_t + o
// Loss of a block: sum over lanes and time of (y - x)^2 inv_mse + KL inv_kl,
//   KL = -1/2 (1 + lv - mu^2 - exp(lv))
#pragma once

#include <cstddef>
#include <vector>

namespace lento::fleet {

namespace vae {
inline constexpr size_t kWindow = 8;
inline constexpr size_t kHidden = 4;
inline constexpr size_t kLatent = 8;
inline constexpr size_t kGates = 4 * kHidden;
// Offsets into the parameters. Matrices are row-major with one row for each output.
inline constexpr size_t kEncIn = 0;
inline constexpr size_t kEncHid = kEncIn + kGates;
inline constexpr size_t kEncBias = kEncHid + kGates * kHidden;
inline constexpr size_t kMu = kEncBias + kGates;
inline constexpr size_t kMuBias = kMu + kLatent * kHidden;
inline constexpr size_t kLv = kMuBias + kLatent;
inline constexpr size_t kLvBias = kLv + kLatent * kHidden;
inline constexpr size_t kZ = kLvBias + kLatent;
inline constexpr size_t kZBias = kZ + kHidden * kLatent;
inline constexpr size_t kDecIn = kZBias + kHidden;
inline constexpr size_t kDecHid = kDecIn + kGates * kHidden;
inline constexpr size_t kDecBias = kDecHid + kGates * kHidden;
inline constexpr size_t kOut = kDecBias + kGates;
inline constexpr size_t kOutBias = kOut + kHidden;
inline constexpr size_t kParameters = kOutBias + 1;
}  // namespace vae

enum class Distance {
  Euclid,
  Manhattan,
  Chebyshev
};

struct Kernel {
  const char* name;
  size_t lanes;

  // Reconstructs (latent = false: `out` has kWindow rows) or encodes (kLatent rows) `count` lanes whose
  // samples are at x[t * x_stride + lane]. Rows of `out` are out_stride apart. z is mu, without a random
  // draw.
  void (*embed)(
      const float* parameters,
      const float* x,
      size_t x_stride,
      size_t count,
      bool latent,
      float* out,
      size_t out_stride);

  // Runs `lanes` windows x[kWindow][lanes] with draws eps[kLatent][lanes] forward and backward, and adds the
  // gradient of the loss, summed over lanes, to grad[kParameters]. Returns the summed squared error.
  double (*train)(
      const float* parameters,
      const float* x,
      const float* eps,
      float inv_mse,
      float inv_kl,
      float* grad);

  // Sets sums[i] for i < count to the sum over pivots p of |E_i - E_p|, with E_i[d] at e[d * stride + i].
  void (*distances)(
      const float* e,
      size_t stride,
      size_t dims,
      size_t count,
      const size_t* pivots,
      size_t pivot_count,
      Distance distance,
      float* sums);

  // Sets sum and count by lane over the rows [begin, end) of columns[row * lanes + lane], without NaN.
  void (*sum_rows)(const float* columns, size_t begin, size_t end, float* sums, float* counts);
  // Sorts each lane's column of n rows in ascending order. NaN is not allowed; missing values are infinity.
  void (*sort)(float* columns, size_t n);
};
inline constexpr size_t kMaxLanes = 16;

const Kernel& kernel();                          // the fastest that this processor supports
std::vector<const Kernel*> supported_kernels();  // all that it supports, fastest first: for tests

// Loss and gradient of one window, computed in scalar double precision for tests.
struct ReferenceResult {
  double loss = 0;
  std::vector<double> gradient;        // kParameters
  std::vector<double> reconstruction;  // kWindow
  std::vector<double> latent;          // kLatent
};
ReferenceResult reference_vae(
    const std::vector<double>& parameters,
    const double* x,
    const double* eps,
    double inv_mse,
    double inv_kl);

extern const Kernel kBaselineKernel;
#if defined(__x86_64__)
extern const Kernel kAvx2Kernel, kAvx512Kernel;
#endif

}  // namespace lento::fleet
