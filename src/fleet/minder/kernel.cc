// Chooses the fastest compiled kernel that this processor can run, and computes the same network slowly in
// double precision for tests.
#include "fleet/minder/kernel.h"

#include "fleet/minder/vae_math.h"

namespace lento::fleet {

std::vector<const Kernel*> supported_kernels() {
  std::vector<const Kernel*> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    all.push_back(&kAvx512Kernel);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back(&kAvx2Kernel);
#endif
  all.push_back(&kBaselineKernel);
  return all;
}

const Kernel& kernel() {
  static const Kernel* const best = supported_kernels().front();
  return *best;
}

// Computes loss and gradient of the autoencoder in double precision, one window at a time, to test the fast
// version.
ReferenceResult reference_vae(
    const std::vector<double>& parameters,
    const double* x,
    const double* eps,
    double inv_mse,
    double inv_kl) {
  ReferenceResult r;
  r.gradient.assign(vae::kParameters, 0);
  Pass<double> s;
  encode<double>(parameters.data(), x, eps, s);
  decode<double>(parameters.data(), s);
  if (eps)
    backward<double, double>(parameters.data(), x, eps, inv_mse, inv_kl, s, r.gradient.data());
  for (size_t t = 0; t < vae::kWindow; ++t)
    r.loss += inv_mse * (s.y[t] - x[t]) * (s.y[t] - x[t]);
  for (size_t k = 0; eps && k < vae::kLatent; ++k) {
    r.loss -= inv_kl * 0.5 * (1 + s.lv[k] - s.mu[k] * s.mu[k] - std::exp(s.lv[k]));
  }
  r.reconstruction.assign(s.y, s.y + vae::kWindow);
  r.latent.assign(s.mu, s.mu + vae::kLatent);
  return r;
}

}  // namespace lento::fleet
