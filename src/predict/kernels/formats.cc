// Parses the names of kernels' formats as measurement tables spell them, and gives each its arithmetic and
// the bytes of a stored value, scales included.
#include <utility>

#include "predict/kernels/kernels.h"

namespace lento::predict {
namespace {

struct Spelling {
  std::string_view text;
  Precision arithmetic;
  double stored_bytes;
};

constexpr double kScale16 = 1.0 / 16;  // an 8-bit scale for 16 values
constexpr double kScale32 = 1.0 / 32;  // an 8-bit scale for 32 values
constexpr double kGroup = 2.0 / 128;   // a 16-bit scale for a group of 128

constexpr Spelling kExpertSpellings[] = {
    {"bfloat16", Precision::Bf16, 2},
    {"bf16", Precision::Bf16, 2},
    {"float16", Precision::Fp16, 2},
    {"fp8", Precision::Fp8, 1},
    {"fp8_block", Precision::Fp8, 1},
    {"nvfp4", Precision::Fp4, 0.5 + kScale16},
    {"fp4", Precision::Fp4, 0.5 + kScale16},
    {"mxfp4", Precision::Fp4, 0.5 + kScale32},
    {"int4_wo", Precision::Bf16, 0.5 + kGroup},
    {"w4a16_mxfp4", Precision::Bf16, 0.5 + kScale32},
    {"w4a8_mxfp4_mxfp8", Precision::Fp8, 0.5 + kScale32},
    {"w4a16_int4", Precision::Bf16, 0.5 + 2 * kScale32},
};

constexpr std::string_view kKinds[kFusedKinds] =
    {"experts", "prefill", "decode", "latent prefill", "latent decode"};

}  // namespace

std::string_view name(FusedKind kind) {
  return kKinds[size_t(kind)];
}

std::optional<FusedKind> parse_fused_kind(std::string_view text) {
  for (size_t i = 0; i < kFusedKinds; ++i) {
    if (text == kKinds[i])
      return static_cast<FusedKind>(i);
  }
  return std::nullopt;
}

std::optional<KernelFormat> expert_format(std::string_view text) {
  for (const Spelling& s : kExpertSpellings) {
    if (s.text == text)
      return KernelFormat{s.arithmetic, s.stored_bytes, std::string(text)};
  }
  return std::nullopt;
}

std::optional<KernelFormat> attention_format(std::string_view arithmetic, std::string_view cache) {
  const auto computed = parse_precision(arithmetic);
  const auto stored = parse_precision(cache);
  if (!computed || !stored)
    return std::nullopt;
  return KernelFormat{*computed, bytes_of(*stored), std::string(arithmetic) + "/" + std::string(cache)};
}

}  // namespace lento::predict
