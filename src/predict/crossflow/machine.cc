// Generates a machine from technology and budgets: the voltage that each power share permits, the frequency
// that follows, and as many units as area and power allow. Source: CrossFlow, section 4 (AGE), and the
// released tool. Cost: one root of a cubic per component.
#include "predict/crossflow/machine.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

// Highest voltage of logic and wires over the nominal one. Power beyond it does not raise the clock.
// Overdrive limits of logic processes lie 10 to 25 % above nominal, and DRAM states its own.
constexpr double kMostOverdrive = 1.25;

// Returns the number of whole components that fit, at most 1e9 so that a huge budget does not overflow an
// int. Returns 0 for values that are not positive numbers.
int count_of(double parts) {
  return parts >= 1 ? int(std::min(std::floor(parts), 1e9)) : 0;
}

struct Transistor {
  double frequency;
  double voltage;
  double threshold;
  double margin;
};

// Returns V with V (V - Vt)^2 = c, the root above Vt. The left side rises there from 0, so bisection finds a
// bracket and Newton's steps full precision.
double voltage_for(double c, double threshold) {
  if (c <= 0)
    return threshold;
  double low = threshold;
  double high = threshold + std::cbrt(c) + std::sqrt(c / std::max(threshold, 1e-9));
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (middle * (middle - threshold) * (middle - threshold) < c ? low : high) = middle;
  }
  double v = 0.5 * (low + high);
  for (int i = 0; i < 3; ++i) {
    const double slope = (v - threshold) * (3 * v - threshold);
    if (slope <= 0)
      break;
    v -= (v * (v - threshold) * (v - threshold) - c) / slope;
  }
  return v;
}

double speed(double v, double threshold) {
  return v > 0 ? (v - threshold) * (v - threshold) / v : 0;
}

// Returns the voltage and frequency that a component reaches with `power` (W), given that it draws
// `nominal_power` at nominal voltage and frequency. Sets `undervoltage_factor` to (voltage / lowest legal
// voltage)^2 when the voltage lies below that, else to 1.
OperatingPoint
operating_point(const Transistor& t, double power, double nominal_power, double& undervoltage_factor) {
  undervoltage_factor = 1;
  if (power <= 0 || nominal_power <= 0)
    return {};
  const double c = power / nominal_power * t.voltage * (t.voltage - t.threshold) * (t.voltage - t.threshold);
  OperatingPoint point;
  point.voltage = voltage_for(c, t.threshold);
  point.frequency = t.frequency * speed(point.voltage, t.threshold) / speed(t.voltage, t.threshold);
  const double lowest = t.threshold + t.margin;
  if (point.voltage < lowest)
    undervoltage_factor = (point.voltage / lowest) * (point.voltage / lowest);
  return point;
}

// Caps the voltage at `highest` and lowers the frequency with it.
void limit_voltage(const Transistor& t, double highest, OperatingPoint& point) {
  if (point.voltage <= highest)
    return;
  point.frequency *= speed(highest, t.threshold) / speed(point.voltage, t.threshold);
  point.voltage = highest;
}

// Generates the compute units: as many as the area holds, at the voltage and frequency that their power
// permits. Below the least voltage either the clock slows or units are switched off, by `rule`.
void generate_core(const CrossFlowConfig& c, BelowMargin rule, Machine& m) {
  const CoreTechnology& t = c.core;
  const double power = c.budgets.share[kCore] * c.budgets.power;
  m.mcus = count_of(c.budgets.area[kCore] * c.budgets.chip_area / t.operating_area_per_mcu);
  const double scaling = t.operating_area_per_mcu / t.area_per_mcu;
  const Transistor transistor{t.frequency, t.voltage, t.threshold, t.margin};
  double undervoltage_factor = 1;
  m.core = operating_point(transistor, power, t.power_per_mcu * m.mcus * scaling, undervoltage_factor);
  if (undervoltage_factor < 1 && rule == BelowMargin::SlowerClock) {
    m.core.frequency *= undervoltage_factor;
    m.core.voltage = t.threshold + t.margin;
  } else if (undervoltage_factor < 1) {
    m.core.voltage = t.threshold + t.margin;
    m.core.frequency = t.frequency * speed(m.core.voltage, t.threshold) / speed(t.voltage, t.threshold);
    const double per_mcu = t.power_per_mcu * scaling * (m.core.frequency / t.frequency) *
                           (m.core.voltage / t.voltage) * (m.core.voltage / t.voltage);
    m.mcus = std::min(m.mcus, count_of(power / per_mcu));
  }
  if (rule == BelowMargin::FewerUnits)
    limit_voltage(transistor, kMostOverdrive * t.voltage, m.core);
  m.bundles = m.mcus / t.mcu_per_bundle;
  m.raw_flops = t.flop_per_mcu * scaling * m.core.frequency * m.mcus;
  m.flops = m.raw_flops * t.utilisation;
}

// Generates one SRAM level from its area (mm2) and power (W): banks by area, bandwidth by the dynamic power
// that leakage leaves.
MemoryLevel generate_sram(const SramTechnology& t, double area, double power, int bundles) {
  MemoryLevel level;
  const double cells = 1 - t.overhead;
  const double bank_area = t.bank_capacity * t.area_per_bit * 8;
  level.units = count_of(cells * area / (bank_area + cells * bundles * t.controller_area_per_link));
  const double static_power = t.static_power_per_bit * 8 * level.units * t.bank_capacity;
  const double dynamic = std::max(0.0, power - static_power);
  level.raw_bytes_per_s = level.units == 0 ? 0 : dynamic / (t.energy_per_bit * 8);
  if (level.raw_bytes_per_s <= 0)
    level.units = 0;
  level.bytes_per_s = level.raw_bytes_per_s * t.utilisation;
  level.bytes = level.units * t.bank_capacity;
  level.latency = t.latency;
  return level;
}

// Generates the DRAM: stacks limited by package area and by controllers on the chip, frequency by power.
void generate_dram(const CrossFlowConfig& c, Machine& m) {
  const DramTechnology& t = c.dram;
  const Budgets& b = c.budgets;
  MemoryLevel& level = m.memory[3];
  level.latency = t.latency;
  level.units = std::min(
      count_of((b.node_area - b.chip_area) / t.area_per_stack),
      count_of(b.chip_area * b.area[kDram] / t.controller_area));
  level.bytes = level.units * t.stack_capacity;
  const double perimeter = 4 * std::sqrt(b.chip_area) * b.perimeter[0] * t.links_per_mm;
  m.dram_links = count_of(std::min(std::floor(perimeter), t.links_per_stack * level.units));
  const double power = b.share[kDram] * b.power;
  const double dynamic = std::max(0.0, power - t.static_power_per_bit * 8 * level.bytes);
  const Transistor transistor{t.frequency, t.voltage, t.threshold, t.margin};
  double undervoltage_factor = 1;
  m.dram = operating_point(
      transistor,
      dynamic,
      t.energy_per_bit * m.dram_links * t.frequency,
      undervoltage_factor);
  if (undervoltage_factor < 1) {
    m.dram.frequency *= undervoltage_factor;
    m.dram.voltage = t.threshold + t.margin;
  } else {
    limit_voltage(transistor, t.max_voltage, m.dram);
  }
  level.raw_bytes_per_s = level.bytes == 0 ? 0 : m.dram_links * m.dram.frequency / 8;
  level.bytes_per_s = level.raw_bytes_per_s * t.utilisation;
  if (level.raw_bytes_per_s > 0)
    return;
  level.units = 0;
  level.bytes = 0;
}

// Generates the link of one node to one neighbour. Inside a package a node has four neighbours (a mesh),
// outside it has one.
Link generate_link(
    const LinkTechnology& t,
    const Budgets& b,
    Component which,
    double edge_share,
    int degree) {
  Link link;
  link.latency = t.latency;
  const double by_edge = edge_share * 4 * std::sqrt(b.chip_area) * t.links_per_mm;
  link.count = count_of(std::min(b.area[which] * b.chip_area / t.area_per_link, by_edge));
  const Transistor transistor{t.frequency, t.voltage, t.threshold, t.margin};
  double undervoltage_factor = 1;
  link.point = operating_point(
      transistor,
      b.share[which] * b.power,
      t.energy_per_link * link.count * t.frequency,
      undervoltage_factor);
  link.point.frequency *= undervoltage_factor;
  link.bytes_per_s = link.count * link.point.frequency * t.utilisation / (8 * degree);
  return link;
}

}  // namespace

// Generates the whole machine component by component.
Machine generate(const CrossFlowConfig& c, BelowMargin rule) {
  Machine m;
  generate_core(c, rule, m);
  const Component sram[] = {kRegisters, kL1, kL2};
  for (size_t i = 0; i < 3; ++i) {
    m.memory[i] = generate_sram(
        c.sram[i],
        c.budgets.area[sram[i]] * c.budgets.chip_area,
        c.budgets.share[sram[i]] * c.budgets.power,
        m.bundles);
  }
  generate_dram(c, m);
  for (size_t i = 0; i < 4; ++i) {
    const int divisor = c.scope[i] == Scope::Global ? 1 : (c.scope[i] == Scope::Bundle ? m.bundles : m.mcus);
    m.memory[i].bytes_per_scope = divisor == 0 ? 0 : m.memory[i].bytes / divisor;
  }
  m.intra = generate_link(c.intra, c.budgets, kIntra, c.budgets.perimeter[1], 4);
  m.inter = generate_link(c.inter, c.budgets, kInter, c.budgets.perimeter[2], 1);
  return m;
}

}  // namespace lento::predict
