// Names of precisions, the bytes that a value of each occupies with its scales, and the power limit and
// constants that a chip has for each.
#include <algorithm>
#include <cmath>
#include <utility>

#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

constexpr std::pair<std::string_view, Precision> kSpellings[] = {
    {"fp32", Precision::Fp32},
    {"float32", Precision::Fp32},
    {"float", Precision::Fp32},
    {"f32", Precision::Fp32},
    {"tf32", Precision::Tf32},
    {"fp16", Precision::Fp16},
    {"float16", Precision::Fp16},
    {"half", Precision::Fp16},
    {"f16", Precision::Fp16},
    {"bf16", Precision::Bf16},
    {"bfloat16", Precision::Bf16},
    {"int8", Precision::Int8},
    {"fp8", Precision::Fp8},
    {"float8", Precision::Fp8},
    {"fp4", Precision::Fp4},
    {"fp16_tensorcore_fp32acc", Precision::Fp16},
    {"nvfp4", Precision::Fp4},
    {"mxfp4", Precision::Fp4},
    {"sq", Precision::Int8},
    {"fp8_block", Precision::Fp8Block},
    {"mxfp8", Precision::Fp8Block},
    {"int8_wo", Precision::Int8Weights},
    {"int4_wo", Precision::Int4Weights},
};

}  // namespace

std::string_view name(Precision precision) {
  constexpr std::string_view kNames[] =
      {"fp32", "tf32", "fp16", "bf16", "int8", "fp8", "fp4", "fp8_block", "int8_wo", "int4_wo"};
  return kNames[size_t(precision)];
}

std::optional<Precision> parse_precision(std::string_view text) {
  if (text.starts_with("torch."))
    text.remove_prefix(6);
  for (const auto& [spelling, precision] : kSpellings) {
    if (text == spelling)
      return precision;
  }
  return std::nullopt;
}

std::string_view name(Stationary stationary) {
  constexpr std::string_view kNames[] = {"output", "weight", "activation", "best"};
  return kNames[size_t(stationary)];
}

double bytes_of(Precision precision) {
  constexpr double kBytes[] = {4, 4, 2, 2, 1, 1, 0.5, 1, 2, 2};
  return kBytes[size_t(precision)];
}

Precision arithmetic_of(Precision p) {
  if (p == Precision::Fp8Block)
    return Precision::Fp8;
  return p == Precision::Int8Weights || p == Precision::Int4Weights ? Precision::Bf16 : p;
}

// Returns the bytes of an element on each side of a product, with the scales of its format.
OperandBytes operand_bytes(Precision p) {
  constexpr double kScale16 = 1.0 / 16;    // an 8-bit scale for 16 values
  constexpr double kScale128 = 4.0 / 128;  // a 32-bit scale for 128 values of a row
  constexpr double kGroup = 2.0 / 128;     // a 16-bit scale for a group of 128 weights
  switch (p) {
    case Precision::Int8:
    case Precision::Fp8:
      return {1, 1, 2};
    case Precision::Fp4:
      return {0.5 + kScale16, 0.5 + kScale16, 2};
    case Precision::Fp8Block:
      return {1 + kScale128, 1, 2};
    case Precision::Int8Weights:
      return {2, 1, 2};
    case Precision::Int4Weights:
      return {2, 0.5 + kGroup, 2};
    default:
      return {bytes_of(p), bytes_of(p), bytes_of(p)};
  }
}

double Chip::power_limit(Precision p) const {
  const double energy = flop_energy_j[size_t(arithmetic_of(p))];
  const double full = peak(p) * energy;
  return full > 0 ? std::min(1.0, power_w * (1 - idle_share) / full) : 1.0;
}

int Chip::array_side(Precision p) const {
  // A unit with more flops per cycle can only be a systolic array, because no register file could feed it.
  constexpr double kWidest = 32768;
  if (array > 0)
    return array;
  return rate(p) >= kWidest ? int(std::lround(std::sqrt(rate(p) / 2))) : 0;
}

double Chip::best_share(const Calibration& c, Precision p) const {
  const double share = std::min(1.0, c.compute) * power_limit(p);
  return array_side(p) > 0 ? share : share * unit_results / (unit_results + c.half_tile * rate(p) / 1024);
}

Calibration lent(Calibration constants, const Chip& relative, const Chip& chip, Precision precision) {
  // Power is not known to limit vector units, nor where the sheet states the energy of an operation.
  const auto budget = [precision](const Chip& c) {
    const bool apart = precision == Precision::Fp32 || c.flop_energy_j[size_t(arithmetic_of(precision))] > 0;
    const double peak = apart ? 0 : c.peak(precision);
    return peak > 0 ? c.power_w / peak : 0.0;
  };
  const double share = relative.best_share(constants, precision);
  if (budget(relative) <= 0 || budget(chip) <= 0 || share >= relative.best_share({}, precision))
    return constants;
  const double sustained = share * budget(chip) / budget(relative);
  const double allowed = std::min(sustained, chip.best_share({}, precision));
  constants.compute = std::min(1.0, constants.compute * allowed / chip.best_share(constants, precision));
  return constants;
}

// Returns the constants of precision `p` when the chip has them, else those of its arithmetic, else those of
// another precision on the same units, else defaults.
const Calibration& Chip::constants(Precision p) const {
  static const Calibration generic_matrix;
  static const Calibration generic_vector{0.95, 0.75, 50, 2500, 18000, 0.05, 16384, 0.6};
  if (const auto& own = calibration[size_t(p)])
    return *own;
  if (const auto& own = calibration[size_t(arithmetic_of(p))])
    return *own;
  const bool vector = p == Precision::Fp32;
  for (size_t i = 0; i < kPrecisions; ++i) {
    const bool like = (static_cast<Precision>(i) == Precision::Fp32) == vector;
    if (like && calibration[i])
      return *calibration[i];
  }
  return vector ? generic_vector : generic_matrix;
}

}  // namespace lento::predict
