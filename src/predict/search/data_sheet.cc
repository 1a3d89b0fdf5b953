// Derives the data sheet of a design point: generates its machine and expresses it as a chip with units,
// cache, memory, energies and a mesh of nodes. Constants that the design determines replace those fitted on
// real chips.
#include "predict/search/data_sheet.h"

#include <algorithm>
#include <cmath>

#include "predict/crossflow/machine.h"

namespace lento::predict {
namespace {

constexpr double kBytesOfSum = 4;       // running sums are stored in single precision
constexpr double kShareOfSums = 0.5;    // share of the registers that holds running sums
constexpr double kInnerTile = 64;       // side of the tile that registers reuse from L1
constexpr double kReserveShare = 0.04;  // share of the memory for context and libraries

// Returns the operations per second that L1 and the registers can feed (kernel.h gives the bytes of an
// operation there).
double fed_flops(const CrossFlowConfig& c, const Machine& m) {
  const double l1 = m.memory[1].bytes_per_s * kInnerTile / c.precision;
  const double registers = m.memory[0].bytes_per_s * c.core.fma_width / c.precision;
  return std::min(l1, registers);
}

// Returns kernel constants of a designed chip, taken from its utilisation instead of measurements.
Calibration constants(const CrossFlowConfig& c, const Machine& m, const Chip& chip, double flops_per_cycle) {
  Calibration k;
  k.compute = std::clamp(std::min(c.core.utilisation, fed_flops(c, m) / m.raw_flops), 0.01, 1.0);
  k.memory = std::clamp(c.dram.utilisation, 0.01, 1.0);
  k.feed = std::max(0.1, m.memory[2].bytes_per_s / chip.units / chip.clock_hz / (flops_per_cycle / 1024));
  k.source = "technology and budgets of the design";
  return k;
}

// Maps the dataflow word of the configuration to the operand that stays in the array. "none" is treated as
// "best".
Stationary stationary_of(const std::string& dataflow) {
  if (dataflow == "wst")
    return Stationary::Weight;
  if (dataflow == "ast")
    return Stationary::Activation;
  return dataflow == "ost" ? Stationary::Output : Stationary::Best;
}

// Sets the operations per cycle of each precision that the machine's word length supports.
void set_arithmetic(const CrossFlowConfig& c, const Machine& m, Chip& chip) {
  const double rate = m.raw_flops / chip.units / chip.clock_hz;
  const auto set = [&](Precision p, double factor) {
    chip.flops_per_cycle[size_t(p)] = rate * factor;
    chip.calibration[size_t(p)] = constants(c, m, chip, rate * factor);
  };
  if (c.precision >= 4)
    return set(Precision::Fp32, 1);
  if (c.precision >= 2) {
    set(Precision::Fp16, 1);
    set(Precision::Bf16, 1);
  } else {
    set(c.precision >= 1 ? Precision::Fp8 : Precision::Fp4, 1);
  }
}

// Scales a switching energy (J) from the nominal voltage by the square of the voltage (machine.h: power over
// frequency).
double at_voltage(double nominal_j, double voltage, double nominal_voltage) {
  const double ratio = nominal_voltage > 0 ? voltage / nominal_voltage : 1;
  return nominal_j * ratio * ratio;
}

// Sets the energy per operation and per byte at the generated machine's voltages. Leakage power is drawn
// whether or not there is work.
void set_energy(const CrossFlowConfig& c, const Machine& m, System& s) {
  const double flop = at_voltage(
      c.core.power_per_mcu / (c.core.flop_per_mcu * c.core.frequency),
      m.core.voltage,
      c.core.voltage);
  for (size_t i = 0; i < kPrecisions; ++i) {
    if (s.chip.flops_per_cycle[i] > 0)
      s.chip.flop_energy_j[i] = flop;
  }
  s.chip.operand_energy_j =
      8 * c.precision * (c.sram[0].energy_per_bit / c.core.fma_width + c.sram[1].energy_per_bit / kInnerTile);
  s.chip.cache_byte_energy_j = 8 * c.sram[2].energy_per_bit;
  s.chip.byte_energy_j = 8 * at_voltage(c.dram.energy_per_bit, m.dram.voltage, c.dram.voltage);
  s.network.byte_energy_j = 8 * at_voltage(c.inter.energy_per_link, m.inter.point.voltage, c.inter.voltage);
  double leaks = 8 * c.dram.static_power_per_bit * m.memory[3].bytes;
  for (size_t i = 0; i < c.sram.size(); ++i)
    leaks += 8 * c.sram[i].static_power_per_bit * m.memory[i].bytes;
  s.chip.idle_share = std::clamp(leaks / s.chip.power_w, 0.0, 0.95);
}

}  // namespace

std::optional<System> data_sheet(const CrossFlowConfig& c, bool as_released) {
  const Machine m = generate(c, as_released ? BelowMargin::SlowerClock : BelowMargin::FewerUnits);
  if (m.bundles < 1 || !(m.raw_flops > 0))
    return std::nullopt;
  for (const MemoryLevel& level : m.memory) {
    if (level.units < 1 || !(level.bytes_per_s > 0))
      return std::nullopt;
  }
  if (c.nodes_per_wafer > 1 && !(m.intra.bytes_per_s > 0))
    return std::nullopt;
  if (!(m.inter.bytes_per_s > 0))
    return std::nullopt;
  System s;
  s.name = s.family = "design";
  s.title = "Design of a search";
  s.source = "technology and budgets of a design point (docs/formats/crossflow.md)";
  s.chip.units = m.bundles;
  s.chip.clock_hz = m.core.frequency;
  s.chip.cache_bytes = m.memory[2].bytes;
  s.chip.unit_results = std::max(256.0, kShareOfSums * m.memory[0].bytes / m.bundles / kBytesOfSum);
  s.chip.unit_buffer_bytes = m.memory[1].bytes / m.bundles;
  s.chip.dataflow = stationary_of(c.core.dataflow);
  s.chip.memory_bytes = m.memory[3].bytes;
  s.chip.memory_Bps = m.memory[3].raw_bytes_per_s;
  s.chip.memory_reserve = kReserveShare * m.memory[3].bytes;
  s.chip.power_w = c.budgets.power;
  set_arithmetic(c, m, s.chip);
  set_energy(c, m, s);
  s.stack.launch_s = c.launch_overhead;
  s.network.node_devices = c.nodes_per_wafer;
  const int side = int(std::lround(std::sqrt(c.nodes_per_wafer)));
  if (side > 1 && side * side == c.nodes_per_wafer)
    s.network.node.dims = {side, side};
  s.network.node.lane_Bps = m.intra.bytes_per_s;
  s.network.node.efficiency = 1;
  s.network.node.latency_s = c.intra.latency;
  s.network.between_Bps = m.inter.bytes_per_s;
  s.network.between_efficiency = 1;
  s.network.between_latency_s = c.inter.latency;
  return s;
}

}  // namespace lento::predict
