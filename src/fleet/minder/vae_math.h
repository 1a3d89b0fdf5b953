// The network of kernel.h, written once for any number type T: double, or a GCC vector of floats with a lane
// each. Everything has internal linkage, because each kernel file compiles this header for another
// instruction set.
//
// Backward pass, with a_t the pre-activations of the gates and g_X = dL/dX:
//   h = o tanh(c), c = f c_prev + i g
//   g_o = g_h tanh(c), g_c += g_h o (1 - tanh(c)^2), g_i = g_c g, g_g = g_c i, g_f = g_c c_prev,
//   g_c_prev = g_c f
//   pre-activations: sigma' = s (1 - s), tanh' = 1 - g^2, g_W += g_a (x) input, g_input += W' g_a
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fleet/minder/kernel.h"

namespace lento::fleet {
namespace {  // NOLINT: internal linkage is the point, see above

inline double exp_of(double x) {
  return std::exp(x);
}

// Returns exp as 2^n e^r with |r| <= ln2/2, degree 6: relative error below 2e-7. The integer conversion
// rounds, because the usual trick of adding a large constant does not survive reassociating optimisation.
template <class V, class I>
inline V exp_lanes(V x) {
  x = x > 87.0f ? V{} + 87.0f : x;
  x = x < -87.0f ? V{} - 87.0f : x;
  const V scaled = x * 1.44269504f;
  const I n = __builtin_convertvector(scaled + (scaled > 0.0f ? V{} + 0.5f : V{} - 0.5f), I);
  const V k = __builtin_convertvector(n, V);
  const V r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  V p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const I bits = (n + 127) << 23;
  V two;
  __builtin_memcpy(&two, &bits, sizeof two);
  return p * two;
}

template <class T>
inline T sigmoid(T x) {
  return 1.0f / (1.0f + exp_of(-x));
}
template <>
inline double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}
template <class T>
inline T tanh_of(T x) {
  return 2.0f * sigmoid<T>(2.0f * x) - 1.0f;
}
template <>
inline double tanh_of(double x) {
  return std::tanh(x);
}

template <class T>
struct LstmStep {
  T i[vae::kHidden], f[vae::kHidden], g[vae::kHidden], o[vae::kHidden], c[vae::kHidden], tc[vae::kHidden],
      h[vae::kHidden];
};

template <class T>
struct Pass {  // everything the backward pass needs
  LstmStep<T> enc[vae::kWindow];
  LstmStep<T> dec[vae::kWindow];
  T mu[vae::kLatent];
  T lv[vae::kLatent];
  T sd[vae::kLatent];
  T z[vae::kLatent];
  T d[vae::kHidden];
  T y[vae::kWindow];
};

struct LstmWeights {  // offsets and the number of inputs
  size_t in;
  size_t hid;
  size_t bias;
  size_t inputs;
};
inline constexpr LstmWeights kEncoder{vae::kEncIn, vae::kEncHid, vae::kEncBias, 1};
inline constexpr LstmWeights kDecoder{vae::kDecIn, vae::kDecHid, vae::kDecBias, vae::kHidden};

template <class T, class P, size_t Inputs>
// Computes one step of an LSTM cell.
inline void
lstm_forward(const P* p, const LstmWeights& w, const T* x, const LstmStep<T>* before, LstmStep<T>& out) {
  constexpr size_t H = vae::kHidden;
  T a[vae::kGates];
  for (size_t r = 0; r < vae::kGates; ++r) {
    T sum = T{} + p[w.bias + r];
    for (size_t j = 0; j < Inputs; ++j)
      sum += p[w.in + r * Inputs + j] * x[j];
    if (before) {
      for (size_t j = 0; j < H; ++j)
        sum += p[w.hid + r * H + j] * before->h[j];
    }
    a[r] = sum;
  }
  for (size_t j = 0; j < H; ++j) {
    out.i[j] = sigmoid<T>(a[j]);
    out.f[j] = sigmoid<T>(a[H + j]);
    out.g[j] = tanh_of<T>(a[2 * H + j]);
    out.o[j] = sigmoid<T>(a[3 * H + j]);
    out.c[j] = out.i[j] * out.g[j];
    if (before)
      out.c[j] += out.f[j] * before->c[j];
    out.tc[j] = tanh_of<T>(out.c[j]);
    out.h[j] = out.o[j] * out.tc[j];
  }
}

// Computes y = W x + b.
template <class T, class P>
inline void affine(const P* p, size_t weight, size_t bias, const T* x, size_t inputs, T* y, size_t outputs) {
  for (size_t r = 0; r < outputs; ++r) {
    T sum = T{} + p[bias + r];
    for (size_t j = 0; j < inputs; ++j)
      sum += p[weight + r * inputs + j] * x[j];
    y[r] = sum;
  }
}

// Encodes a window. A null `eps` makes z the mean.
template <class T, class P>
inline void encode(const P* p, const T* x, const T* eps, Pass<T>& s) {
  for (size_t t = 0; t < vae::kWindow; ++t) {
    lstm_forward<T, P, 1>(p, kEncoder, x + t, t ? &s.enc[t - 1] : nullptr, s.enc[t]);
  }
  const T* h = s.enc[vae::kWindow - 1].h;
  affine<T>(p, vae::kMu, vae::kMuBias, h, vae::kHidden, s.mu, vae::kLatent);
  for (size_t k = 0; k < vae::kLatent; ++k)
    s.z[k] = s.mu[k];
  if (!eps)
    return;
  affine<T>(p, vae::kLv, vae::kLvBias, h, vae::kHidden, s.lv, vae::kLatent);
  for (size_t k = 0; k < vae::kLatent; ++k) {
    s.sd[k] = exp_of(s.lv[k] * 0.5f);
    s.z[k] += s.sd[k] * eps[k];
  }
}

// Decodes the latent values to a window.
template <class T, class P>
inline void decode(const P* p, Pass<T>& s) {
  affine<T>(p, vae::kZ, vae::kZBias, s.z, vae::kLatent, s.d, vae::kHidden);
  for (size_t t = 0; t < vae::kWindow; ++t) {
    lstm_forward<T, P, vae::kHidden>(p, kDecoder, s.d, t ? &s.dec[t - 1] : nullptr, s.dec[t]);
    affine<T>(p, vae::kOut, vae::kOutBias, s.dec[t].h, vae::kHidden, s.y + t, 1);
  }
}

// Propagates gradients back by one time step. On entry gh and gc are dL/dh and dL/dc of this step, on return
// those of the previous step. gx accumulates dL/dinput.
template <class T, class P, size_t Inputs>
inline void lstm_backward(
    const P* p,
    const LstmWeights& w,
    const T* x,
    const LstmStep<T>* before,
    const LstmStep<T>& s,
    T* gh,
    T* gc,
    T* gx,
    T* grad) {
  constexpr size_t H = vae::kHidden;
  T ga[vae::kGates];
  for (size_t j = 0; j < H; ++j) {
    const T c = gc[j] + gh[j] * s.o[j] * (1.0f - s.tc[j] * s.tc[j]);
    ga[j] = c * s.g[j] * s.i[j] * (1.0f - s.i[j]);
    ga[H + j] = before ? c * before->c[j] * s.f[j] * (1.0f - s.f[j]) : T{};
    ga[2 * H + j] = c * s.i[j] * (1.0f - s.g[j] * s.g[j]);
    ga[3 * H + j] = gh[j] * s.tc[j] * s.o[j] * (1.0f - s.o[j]);
    gc[j] = c * s.f[j];
  }
  T back[H] = {};
  for (size_t r = 0; r < vae::kGates; ++r) {
    grad[w.bias + r] += ga[r];
    for (size_t j = 0; j < Inputs; ++j) {
      grad[w.in + r * Inputs + j] += ga[r] * x[j];
      if (gx)
        gx[j] += p[w.in + r * Inputs + j] * ga[r];
    }
    for (size_t j = 0; before && j < H; ++j) {
      grad[w.hid + r * H + j] += ga[r] * before->h[j];
      back[j] += p[w.hid + r * H + j] * ga[r];
    }
  }
  for (size_t j = 0; j < H; ++j)
    gh[j] = back[j];
}

template <class T, class P>
inline void affine_backward(
    const P* p,
    size_t weight,
    size_t bias,
    const T* x,
    size_t inputs,
    const T* gy,
    size_t outputs,
    T* gx,
    T* grad) {
  for (size_t r = 0; r < outputs; ++r) {
    grad[bias + r] += gy[r];
    for (size_t j = 0; j < inputs; ++j) {
      grad[weight + r * inputs + j] += gy[r] * x[j];
      gx[j] += p[weight + r * inputs + j] * gy[r];
    }
  }
}

// Adds the gradient of the loss with respect to all parameters to `grad`.
template <class T, class P>
inline void backward(const P* p, const T* x, const T* eps, P inv_mse, P inv_kl, const Pass<T>& s, T* grad) {
  constexpr size_t W = vae::kWindow;
  constexpr size_t H = vae::kHidden;
  constexpr size_t L = vae::kLatent;
  T gh[H] = {};
  T gc[H] = {};
  T gd[H] = {};
  for (size_t t = W; t-- > 0;) {
    const T gy = 2.0f * inv_mse * (s.y[t] - x[t]);
    affine_backward<T>(p, vae::kOut, vae::kOutBias, s.dec[t].h, H, &gy, 1, gh, grad);
    lstm_backward<T, P, H>(p, kDecoder, s.d, t ? &s.dec[t - 1] : nullptr, s.dec[t], gh, gc, gd, grad);
  }
  T gz[L] = {};
  T glv[L];
  affine_backward<T>(p, vae::kZ, vae::kZBias, s.z, L, gd, H, gz, grad);
  for (size_t k = 0; k < L; ++k) {
    const T variance = s.sd[k] * s.sd[k];
    glv[k] = gz[k] * eps[k] * s.sd[k] * 0.5f + inv_kl * 0.5f * (variance - 1.0f);
    gz[k] += inv_kl * s.mu[k];
  }
  T he[H] = {};
  T ce[H] = {};
  const T* last = s.enc[W - 1].h;
  affine_backward<T>(p, vae::kMu, vae::kMuBias, last, H, gz, L, he, grad);
  affine_backward<T>(p, vae::kLv, vae::kLvBias, last, H, glv, L, he, grad);
  for (size_t t = W; t-- > 0;) {
    lstm_backward<T, P, 1>(
        p,
        kEncoder,
        x + t,
        t ? &s.enc[t - 1] : nullptr,
        s.enc[t],
        he,
        ce,
        static_cast<T*>(nullptr),
        grad);
  }
}

}  // namespace
}  // namespace lento::fleet
