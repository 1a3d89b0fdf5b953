// Compares the values of a data sheet with those of the shipped sheets. Every prediction depends on them, and
// a wrong unit prefix changes one by a factor of a thousand. A peak is compared as the product of units,
// clock and operations per cycle, because makers count units differently.
#include "predict/hardware/plausible.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace lento::predict {
namespace {

// A value is implausible when it is this many times outside the range of the shipped sheets.
constexpr double kBeyond = 10;
// A value within this factor of a shipped sheet may be of the same chip, because board power and memory
// stacks vary between boards by as much.
constexpr double kSame = 1.25;

struct SheetValue {
  const char* name;
  base::Dimension dimension;
  double (*of)(const System&);  // 0: the sheet does not state it
  bool of_chip = true;          // false: of the node or network that the chip is built into
};
template <double Chip::*at>
double chip(const System& s) {
  return s.chip.*at;
}
template <double NodeLinks::*at>
double node(const System& s) {
  return s.network.node.*at;
}
template <Precision p>
double peak(const System& s) {
  return s.chip.peak(p);
}
constexpr SheetValue kValues[] = {
    {"clock", base::Dimension::Frequency, chip<&Chip::clock_hz>},
    {"memory", base::Dimension::Bytes, chip<&Chip::memory_bytes>},
    {"memory_bandwidth", base::Dimension::BytesPerTime, chip<&Chip::memory_Bps>},
    {"cache", base::Dimension::Bytes, chip<&Chip::cache_bytes>},
    {"the peak of fp32", base::Dimension::Rate, peak<Precision::Fp32>},
    {"the peak of fp16", base::Dimension::Rate, peak<Precision::Fp16>},
    {"the peak of bf16", base::Dimension::Rate, peak<Precision::Bf16>},
    {"the peak of fp8", base::Dimension::Rate, peak<Precision::Fp8>},
    {"lane_bandwidth", base::Dimension::BytesPerTime, node<&NodeLinks::lane_Bps>, false},
    {"step_latency", base::Dimension::Time, node<&NodeLinks::latency_s>, false},
    {"start", base::Dimension::Time, node<&NodeLinks::start_s>, false},
    {"between_nodes",
     base::Dimension::BytesPerTime,
     [](const System& s) {
       return s.network.between_Bps;
     },
     false}};

bool near(double a, double b) {
  return std::abs(std::log(a / b)) <= std::log(kSame);
}

bool is_of_chip(const System& system, const System& shipped) {
  return shipped.name == system.name || shipped.family == system.family;
}

}  // namespace

std::vector<std::string> implausible_values(const System& system) {
  const bool called = std::ranges::any_of(shipped_systems(), [&](const System& shipped) {
    return is_of_chip(system, shipped);
  });
  std::vector<std::string> out;
  for (const SheetValue& v : kValues) {
    // A wrong clock or number of units makes all peaks implausible, so they are skipped once a value is
    // reported.
    if (v.dimension == base::Dimension::Rate && !out.empty())
      continue;
    const double own = v.of(system);
    double low = INFINITY;
    double high = 0;
    for (const System& shipped : shipped_systems()) {
      if (!(v.of(shipped) > 0) || (called && !is_of_chip(system, shipped)))
        continue;
      low = std::min(low, v.of(shipped));
      high = std::max(high, v.of(shipped));
    }
    if (!(own > 0) || !(high > 0) || (own * kBeyond >= low && own <= high * kBeyond))
      continue;
    const std::string from = base::format_quantity(low, v.dimension);
    const std::string to = base::format_quantity(high, v.dimension);
    out.push_back(
        std::string(v.name) + " " + base::format_quantity(own, v.dimension) + ": shipped sheets" +
        (called ? " of this chip" : "") + " have " + from + (from == to ? "" : " to " + to));
  }
  return out;
}

bool is_measured_chip(const System& system) {
  bool called = false;
  for (const System& shipped : shipped_systems()) {
    if (!is_of_chip(system, shipped))
      continue;
    called = true;
    const bool same =
        near(system.chip.units, shipped.chip.units) && std::ranges::all_of(kValues, [&](const SheetValue& v) {
          return !v.of_chip || !(v.of(system) > 0) || near(v.of(system), v.of(shipped));
        });
    if (same)
      return true;
  }
  return !called;
}

}  // namespace lento::predict
