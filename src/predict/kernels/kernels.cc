// Lists the scalars of each kind of fused kernel with their bounds, and dispatches predictions: constants are
// looked up by chip, framework, format and kernel, and the closed form of the kind gives the time.
#include "predict/kernels/kernels.h"

#include <algorithm>
#include <cmath>

#include "predict/kernels/scalars.h"

namespace lento::predict {
namespace {

constexpr KernelScalar kExperts[] = {
    {"launch_us", 15, 1, 2000},
    {"compute", 0.5, 0.005, 1},
    {"memory", 0.6, 0.01, 0.97},
    {"tile", 32, 4, 256},
    {"wave", 0.3, 0.001, 4},
    {"traffic", 2, 0.05, 30},
    {"each_us", 0.02, 0.0005, 5},
    {"whole", 0.1, 0.001, 20}};
constexpr KernelScalar kPrefill[] = {
    {"launch_us", 9, 1, 2000},
    {"compute", 0.6, 0.005, 1},
    {"memory", 0.6, 0.02, 1},
    {"extra_keys", 40, 1, 1000},
    {"item_us", 1, 0.01, 50},
    {"rows", 96, 1, 256},
    {"leak", 0.05, 0.001, 1},
    {"narrow", 1, 0.2, 3},
    {"wide", 0.3, 0.01, 3},
    {"tail", 0.5, 0.01, 2}};
constexpr KernelScalar kDecode[] = {
    {"launch_us", 9, 1, 2000},
    {"compute", 0.4, 0.005, 1},
    {"memory", 0.75, 0.02, 0.97},
    {"fast", 2, 0.1, 8},
    {"item_us", 1, 0.01, 20},
    {"token_ns", 5, 0.05, 500},
    {"splits", 32, 1, 1000},
    {"packed", 16, 1, 128},
    {"join_us", 1, 0.01, 30}};

}  // namespace

// Returns the fitted constants of this kind of kernel: name, start value and limits.
std::span<const KernelScalar> scalars_of(FusedKind kind) {
  switch (kind) {
    case FusedKind::Experts:
      return kExperts;
    case FusedKind::Prefill:
    case FusedKind::LatentPrefill:
      return kPrefill;
    default:
      return kDecode;
  }
}

// Returns the start value of each fitted constant.
KernelScalars start_of(FusedKind kind) {
  KernelScalars out{};
  const std::span<const KernelScalar> all = scalars_of(kind);
  std::ranges::transform(all, out.begin(), [](const KernelScalar& s) {
    return s.start;
  });
  return out;
}

// Returns the time of one fused kernel in seconds, in parts (launch, compute, memory).
FusedTime time_kernel(const PreparedKernel& p, const KernelScalars& scalars) {
  switch (p.kind) {
    case FusedKind::Experts:
      return time_experts(p, scalars);
    case FusedKind::Prefill:
    case FusedKind::LatentPrefill:
      return time_prefill(p, scalars);
    default:
      return time_decode(p, scalars);
  }
}

double kernel_flops(const PreparedKernel& p) {
  if (p.kind == FusedKind::Experts) {
    double rows = 0;
    for (const PreparedKernel::Bucket& b : p.load)
      rows += b.experts * b.rows;
    return 2 * rows * p.hidden * p.inner * p.products;
  }
  const bool prefill = p.kind == FusedKind::Prefill || p.kind == FusedKind::LatentPrefill;
  const double keys = prefill ? p.seen : p.context;
  return 4 * p.batch * p.heads * keys * p.head;
}

// Returns the bytes that the kernel moves to and from memory.
double kernel_bytes(const PreparedKernel& p) {
  if (p.kind != FusedKind::Experts)
    return p.bytes;
  double bytes = 0;
  for (const PreparedKernel::Bucket& b : p.load) {
    bytes += b.experts * p.hidden * p.inner * p.products * p.stored_bytes;
    bytes += b.experts * b.rows * (2 * p.hidden + p.products * p.inner) * 2;
  }
  return bytes;
}

double roofline_s(const PreparedKernel& p, double compute, double memory, double launch_s) {
  const double arithmetic = kernel_flops(p) / (p.peak_flops * compute);
  return std::max(arithmetic, kernel_bytes(p) / (p.memory_Bps * memory)) + launch_s;
}

FusedAnswer predict_fused(const System& system, std::string_view framework, const ExpertLayer& layer) {
  const auto [constants, match] =
      find_constants(FusedKind::Experts, system, framework, layer.format, layer.kernel);
  return {time_kernel(prepare(system.chip, layer), constants->scalars), match};
}

FusedAnswer predict_fused(const System& system, std::string_view framework, const AttentionKernel& kernel) {
  const auto [constants, match] =
      find_constants(kernel.kind, system, framework, kernel.format, kernel.kernel);
  return {time_kernel(prepare(system.chip, kernel), constants->scalars), match};
}

}  // namespace lento::predict
