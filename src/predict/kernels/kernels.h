// The fused kernels of serving: a layer of experts, attention over a prompt or over a cache, latent
// attention.
//
// Each kind has a closed form with a handful of physical scalars (docs/methods/serving_kernels.md derives
// them). The scalars belong to a chip, a framework, a format and a kernel, and none is indexed by shape. For
// a kernel that was not measured on a chip, scalars fitted over all chips apply to the chip's peaks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/hardware/system.h"

namespace lento::predict {

enum class FusedKind {
  Experts,
  Prefill,
  Decode,
  LatentPrefill,
  LatentDecode
};
constexpr size_t kFusedKinds = 5;
std::string_view name(FusedKind kind);  // "experts", "prefill", ...
std::optional<FusedKind> parse_fused_kind(std::string_view text);

// The arithmetic of a kernel and the storage of the values it reads.
struct KernelFormat {
  Precision arithmetic = Precision::Bf16;
  double stored_bytes = 2;  // bytes of an expert's weight, or of a cached value, with scales
  std::string name;         // as tables spell it: "fp8_block", "bfloat16/fp8" for attention over an fp8 cache

  bool operator==(const KernelFormat&) const = default;
};
// Parses the format of a layer of experts: "bfloat16", "fp8", "w4a16_mxfp4", ... Returns nothing when it is
// unknown.
std::optional<KernelFormat> expert_format(std::string_view text);
// Parses the format of attention: its arithmetic, and the values of its cache.
std::optional<KernelFormat> attention_format(std::string_view arithmetic, std::string_view cache);

// Both matrix products of all experts on one device, with the gathering of their rows and the sum of their
// results.
struct ExpertLayer {
  int64_t tokens = 1;  // of all devices that share the experts
  int64_t hidden = 1;
  int64_t inner = 1;  // width of one whole expert
  int64_t experts = 1;
  int64_t chosen = 1;  // experts that each token is sent to
  int tensor = 1;      // devices that each expert is split over
  int expert = 1;      // groups of devices that the experts are spread over
  double skew = 0;     // exponent of the power law of popularity; 0: all experts equally popular
  // Without skew: tokens choose at random, so that with few tokens some choose the same expert.
  bool random = false;
  bool gated = true;
  KernelFormat format;
  std::string kernel;  // empty: any

  bool operator==(const ExpertLayer&) const = default;
};

struct AttentionKernel {
  FusedKind kind = FusedKind::Decode;  // any kind but Experts
  int64_t batch = 1;
  int64_t tokens = 1;   // new tokens of each sequence
  int64_t context = 1;  // tokens that the last new token attends to
  int64_t heads = 1;    // on this device
  int64_t kv_heads = 1;
  int64_t head = 128;
  int64_t window = 0;  // attention window in tokens; 0: none
  KernelFormat format;
  std::string kernel;  // empty: any

  bool operator==(const AttentionKernel&) const = default;
};

constexpr size_t kMostScalars = 10;
using KernelScalars = std::array<double, kMostScalars>;

struct KernelScalar {
  const char* name;
  double start;  // first value that a fit tries
  double low;
  double high;
};
std::span<const KernelScalar> scalars_of(FusedKind kind);
KernelScalars start_of(FusedKind kind);

// A kernel with every value computed that does not depend on the scalars, so that a fit computes it once.
struct PreparedKernel {
  FusedKind kind = FusedKind::Decode;
  double peak_flops = 0;
  double memory_Bps = 0;
  double cache_bytes = 0;
  double units = 1;
  double batch = 1;
  double tokens = 1;
  double context = 1;
  double heads = 1;
  double group = 1;  // query heads that share a key head
  double kv_heads = 1;
  double head = 128;  // mean size of a key and a value
  double seen = 0;    // pairs of query and key inside the window, of one head and sequence
  double all = 0;     // pairs of query and key without the window
  double bytes = 0;   // least memory traffic
  // Only for a layer of experts.
  struct Bucket {
    double experts;
    double rows;  // of each expert
  };
  std::vector<Bucket> load;
  double hidden = 0;
  double inner = 0;  // width of the experts' part on this device
  double products = 3;
  double stored_bytes = 2;
  double local_experts = 0;
  double assignments = 0;  // pairs of token and expert, on all devices
};
PreparedKernel prepare(const Chip& chip, const ExpertLayer& layer);
PreparedKernel prepare(const Chip& chip, const AttentionKernel& kernel);

struct FusedTime {
  double seconds = 0;
  double launch_s = 0;
  double compute_s = 0;
  double memory_s = 0;
};
FusedTime time_kernel(const PreparedKernel& kernel, const KernelScalars& scalars);

// Count operations and bytes without padding and without repeated reads.
double kernel_flops(const PreparedKernel& kernel);
double kernel_bytes(const PreparedKernel& kernel);

// Returns the time of a roofline with three constants: the share of the peak, the share of the bandwidth,
// and the launch.
double roofline_s(const PreparedKernel& kernel, double compute, double memory, double launch_s);

// The degree to which the constants match the kernel.
enum class KernelMatch {
  Exact,     // chip, framework, format and kernel were measured
  Software,  // chip, framework and format match, the kernel may differ
  Kernel,    // the kernel was measured, on other chips
  Kind       // neither
};

struct KernelConstants {
  FusedKind kind = FusedKind::Decode;
  // Empty strings match all.
  std::string chip;
  std::string framework;
  std::string format;
  std::string kernel;
  size_t rows = 0;
  KernelScalars scalars{};
};
const std::vector<KernelConstants>& shipped_kernel_constants();

struct FoundConstants {
  const KernelConstants* constants;
  KernelMatch match;
};
FoundConstants find_constants(
    FusedKind kind,
    const System& system,
    std::string_view framework,
    const KernelFormat& format,
    std::string_view kernel);

struct FusedAnswer {
  FusedTime time;
  KernelMatch match = KernelMatch::Kind;
};
FusedAnswer predict_fused(const System& system, std::string_view framework, const ExpertLayer& layer);
FusedAnswer predict_fused(const System& system, std::string_view framework, const AttentionKernel& kernel);

}  // namespace lento::predict
