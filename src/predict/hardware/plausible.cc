// Compares four values of a data sheet with those of the shipped sheets. These values decide every
// prediction, and a misread unit changes one of them by a factor of a thousand.
#include "predict/hardware/plausible.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace lento::predict {
namespace {

// A value is implausible when it is this many times outside the range of the shipped sheets.
constexpr double kBeyond = 10;
// Values within this factor are of the same chip, because board power and memory stacks vary that much.
constexpr double kSame = 1.25;

struct SheetValue {
  const char* name;
  base::Dimension dimension;
  double Chip::*at;
};
constexpr SheetValue kValues[] = {
    {"clock", base::Dimension::Frequency, &Chip::clock_hz},
    {"memory", base::Dimension::Bytes, &Chip::memory_bytes},
    {"memory_bandwidth", base::Dimension::BytesPerTime, &Chip::memory_Bps}};

bool near(double a, double b) {
  return std::abs(std::log(a / b)) <= std::log(kSame);
}

}  // namespace

std::vector<std::string> implausible_values(const System& system) {
  std::vector<std::string> out;
  for (const SheetValue& v : kValues) {
    const double own = system.chip.*v.at;
    double low = INFINITY;
    double high = 0;
    for (const System& shipped : shipped_systems()) {
      low = std::min(low, shipped.chip.*v.at);
      high = std::max(high, shipped.chip.*v.at);
    }
    if (own * kBeyond < low || own > high * kBeyond)
      out.push_back(
          std::string(v.name) + " " + base::format_quantity(own, v.dimension) + ": shipped sheets have " +
          base::format_quantity(low, v.dimension) + " to " + base::format_quantity(high, v.dimension));
  }
  return out;
}

bool is_measured_chip(const System& system) {
  bool called = false;
  for (const System& shipped : shipped_systems()) {
    if (shipped.name != system.name && shipped.family != system.family)
      continue;
    called = true;
    const bool same =
        near(system.chip.units, shipped.chip.units) && std::ranges::all_of(kValues, [&](const SheetValue& v) {
          return near(system.chip.*v.at, shipped.chip.*v.at);
        });
    if (same)
      return true;
  }
  return !called;
}

}  // namespace lento::predict
