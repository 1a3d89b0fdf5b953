#include <algorithm>
#include <utility>

#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

constexpr std::pair<std::string_view, Precision> kSpellings[] = {
    {"fp32", Precision::Fp32},     {"float32", Precision::Fp32},
    {"float", Precision::Fp32},    {"f32", Precision::Fp32},
    {"tf32", Precision::Tf32},     {"fp16", Precision::Fp16},
    {"float16", Precision::Fp16},  {"half", Precision::Fp16},
    {"f16", Precision::Fp16},      {"bf16", Precision::Bf16},
    {"bfloat16", Precision::Bf16}, {"int8", Precision::Int8},
    {"fp8", Precision::Fp8},       {"float8", Precision::Fp8},
    {"fp4", Precision::Fp4},       {"fp16_tensorcore_fp32acc", Precision::Fp16},
};

}  // namespace

std::string_view name(Precision precision) {
  constexpr std::string_view kNames[] = {"fp32", "tf32", "fp16", "bf16", "int8", "fp8", "fp4"};
  return kNames[static_cast<size_t>(precision)];
}

std::optional<Precision> parse_precision(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (const auto& [spelling, precision] : kSpellings) {
    if (text == spelling) return precision;
  }
  return std::nullopt;
}

std::string_view name(Stationary stationary) {
  constexpr std::string_view kNames[] = {"output", "weight", "activation", "best"};
  return kNames[static_cast<size_t>(stationary)];
}

double bytes_of(Precision precision) {
  constexpr double kBytes[] = {4, 4, 2, 2, 1, 1, 0.5};
  return kBytes[static_cast<size_t>(precision)];
}

double Chip::power_limit(Precision p) const {
  const double energy = flop_energy_j[static_cast<size_t>(p)];
  const double full = peak(p) * energy;
  return full > 0 ? std::min(1.0, power_w * (1 - idle_share) / full) : 1.0;
}

const Calibration& Chip::constants(Precision p) const {
  static const Calibration generic_matrix;
  static const Calibration generic_vector{0.95, 0.75, 50, 2500, 18000, 0.05, 16384, 0.6, 0, "generic"};
  if (const auto& own = calibration[static_cast<size_t>(p)]) return *own;
  const bool vector = p == Precision::Fp32;
  for (size_t i = 0; i < kPrecisions; ++i) {
    const bool like = (static_cast<Precision>(i) == Precision::Fp32) == vector;
    if (like && calibration[i]) return *calibration[i];
  }
  return vector ? generic_vector : generic_matrix;
}

}  // namespace lento::predict
