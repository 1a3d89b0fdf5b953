// A machine as the predictor models it: one chip, the software that drives it, and the links between chips.
//
// Read from a data sheet in YAML (docs/formats/system.md) or derived from a technology library
// (predict/crossflow). All values are in base units: bytes, seconds, hertz, watts. The structs are plain
// data, and only read_system checks them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lento::predict {

// Number formats of matrix products. The first seven are arithmetic of the units. The others are stored
// formats: fp8 with one scale per block of 128, and 8-bit or 4-bit weights multiplied in 16 bits.
enum class Precision {
  Fp32,
  Tf32,
  Fp16,
  Bf16,
  Int8,
  Fp8,
  Fp4,
  Fp8Block,
  Int8Weights,
  Int4Weights
};
constexpr size_t kPrecisions = 10;
constexpr size_t kArithmetics = 7;

std::string_view name(Precision precision);
std::optional<Precision> parse_precision(std::string_view text);  // "bf16", "bfloat16", "half", ...
double bytes_of(Precision precision);          // bytes of one element without scales; 0.5 for Fp4
Precision arithmetic_of(Precision precision);  // the format that the units compute in, one of the first seven

// Bytes per element on each side of a product, including the scales of blocks.
struct OperandBytes {
  double activations = 2;
  double weights = 2;
  double results = 2;
};
OperandBytes operand_bytes(Precision precision);

// The operand that stays in a systolic array while the others stream through it (CrossFlow section 6: output,
// weight and activation stationary). Best: whichever is fastest for the product.
enum class Stationary {
  Output,
  Weight,
  Activation,
  Best
};
std::string_view name(Stationary stationary);  // "output", ...

// Constants of matrix products that no maker publishes: at most eight physical scalars per chip and
// precision, none of which depends on a product's shape. Defaults are typical of the fitted chips.
struct Calibration {
  double compute = 0.92;   // share of peak that a full-size tile sustains
  double memory = 0.80;    // share of the memory bandwidth that streams reach
  double feed = 45;        // bytes per cycle out of the last-level cache, per 1024 flops per cycle of a unit
  double prologue = 2500;  // cycles to fill and drain the pipeline of one tile
  double half_tile =
      1200;  // results in flight at which a unit reaches half its speed, per 1024 flops per cycle
  // Slow-down of long reductions, because tiles on different units drift apart and stop sharing cached
  // panels. The factor grows with the logarithms of the reduction's length and of the number of tiles
  // (its formula stands at the head of predict/time/gemm.cc).
  double drift = 0.015;
  double drift_length = 8192;      // reduction length beyond which drift slows a product
  double attention = 0.6;          // share of peak that fused attention sustains
  double hold_out_error = 0;       // mean error on measurements that were not fitted; 0: the sheet gives none
  double launch_s = 0;             // seconds to launch a kernel of this precision; 0: that of the stack
  std::string framework;           // the library that was measured; empty: any
  std::string source = "generic";  // where the values come from
  std::string
      measured_on;  // the relative on which the values were measured (System::similar_chip); empty: this chip
};

// A number of a Calibration and its name in data sheets.
struct CalibrationConstant {
  const char* name;
  double Calibration::*at;
};
inline constexpr CalibrationConstant kCalibrationConstants[] = {
    {"compute", &Calibration::compute},
    {"memory", &Calibration::memory},
    {"feed", &Calibration::feed},
    {"prologue", &Calibration::prologue},
    {"half_tile", &Calibration::half_tile},
    {"drift", &Calibration::drift},
    {"drift_length", &Calibration::drift_length},
    {"attention", &Calibration::attention}};

enum class Routing {
  Xy,
  Shortest
};

// The network inside a node or package: explicit links, a mesh or torus, or, when neither is given, one
// switch.
struct NodeLinks {
  struct Link {
    // The devices at both ends.
    int a = 0;
    int b = 0;
    int lanes = 1;  // parallel links between them
  };
  double lane_Bps = 0;      // one link, one direction; for a switch: one device's port, one direction
  double efficiency = 0.9;  // protocol overhead
  double latency_s = 2e-6;  // seconds of one step of a ring, software included
  double start_s = 8e-6;    // launch and synchronisation of one collective
  double setup_s = 2e-5;    // set-up of the protocol for large messages
  // Share of a port's bandwidth at which the switch itself reduces; 0: the switch cannot.
  double in_switch = 0;
  std::vector<Link> links;
  std::vector<int> dims;  // sides of a mesh of all devices, X first; empty: none
  bool wraps = false;     // a torus
  bool snake = true;  // ranks fill every other row backwards, so that successive ranks are neighbours; false:
                      // all rows forwards
  Routing routing = Routing::Xy;  // in a mesh; explicit links take the shortest path
};

struct Network {
  int node_devices = 1;
  NodeLinks node;
  double between_Bps = 0;  // one device's share of the node's outside bandwidth, one direction
  double between_efficiency = 0.8;
  double between_latency_s = 6e-6;
  double byte_energy_j = 0;  // joules to send one byte over any link
};

// The software that drives a chip: its name, scalars of time, and two scalars of memory.
struct Stack {
  std::string framework;       // empty: any
  double library = 1.0;        // speed of its matrix products relative to the chip's constants
  double launch_s = 4e-6;      // s to launch one kernel when the queue is never empty
  double overlap = 0.5;        // share of a backward pass that overlaps with data-parallel traffic
  double host_layer_s = 4e-4;  // host time to issue one pass of one layer: bounds small layers
  // Relative growth of host_layer_s per tensor-parallel way, in pipelines that span nodes.
  double host_tensor = 0;
  double hand_over_s = 0;  // s that a pipeline stage stalls when it sends activations to another node
  double pointwise = 1.5;  // element-wise traffic over that of perfectly fused passes
  double kept = 1.15;      // activation memory over the least needed: copies and gaps of the allocator
  // Bytes per logit, over all copies from the output layer to its gradient.
  double logit_bytes = 10;
  double attention = 1.0;  // speed of its fused attention relative to the chip's constants
  double experts = 1.0;    // time of grouped products of routed experts over that of equal dense products
};

struct Chip {
  int units = 0;  // streaming multiprocessors, compute units, cores
  double clock_hz = 0;
  std::array<double, kPrecisions> flops_per_cycle{};  // per unit, multiply and add count 2; 0: not supported
  double cache_bytes = 0;                             // capacity of the last-level cache
  int array = 0;  // side of the systolic array of each unit; 0: units compute tiles of sums, as GPUs do
  double unit_results = 32768;   // running sums that fit in the registers of a unit
  double unit_buffer_bytes = 0;  // memory of a unit for panels of operands; 0: no limit
  Stationary dataflow = Stationary::Output;
  bool persistent = false;  // libraries use persistent kernels: more tile sizes, units share the last wave
  double memory_bytes = 0;
  double memory_Bps = 0;
  double memory_reserve = 3e9;  // bytes of device memory taken by the driver context and libraries
  double power_w = 0;
  // J per operation; 0: not given, and no throttling is modelled.
  std::array<double, kPrecisions> flop_energy_j{};
  double operand_energy_j = 0;     // J per operation to move operands inside a unit
  double cache_byte_energy_j = 0;  // J per byte of the last-level cache
  double byte_energy_j = 0;        // J per byte of the memory
  double idle_share = 0.2;         // share of the power budget that is drawn without any work
  std::array<std::optional<Calibration>, kPrecisions> calibration;
  // Constants that differ for a stack (with_framework).
  std::vector<std::pair<Precision, Calibration>> by_framework;

  // Returns the side of the systolic array of each unit, or 0 when units compute tiles of sums.
  int array_side(Precision p) const;
  // Returns the largest share of the peak that any product reaches with these constants: one of tiles that
  // fill the registers of all units, and reductions so long that nothing else takes time.
  double best_share(const Calibration& constants, Precision p) const;
  double rate(Precision p) const {
    return flops_per_cycle[size_t(arithmetic_of(p))];
  }
  double peak(Precision p) const {
    return units * clock_hz * rate(p);
  }
  // Returns the share of the peak that the power budget sustains, at most 1: (power - idle) / (peak *
  // energy).
  double power_limit(Precision p) const;
  const Calibration& constants(Precision p) const;  // for p, else the nearest precision, else the defaults
};

struct System {
  std::string name;
  std::string title;
  std::string family;                // systems of one family share constants
  std::vector<std::string> aliases;  // device names as measurement tables spell them
  std::string source;
  std::string similar_chip;  // a shipped relative, whose constants and stack fill the gaps of this sheet
  Chip chip;
  Stack stack;
  bool own_stack = false;         // the sheet gives a stack
  std::vector<Stack> frameworks;  // stacks that differ from `stack`, by name
  Network network;
  double usd_per_hour = 0;  // price of one device; 0: not given
};

// Returns the system with the stack of `framework` and with that stack's constants of kernels. Keeps the
// system's own stack and constants where the sheet lists none for `framework`.
System with_framework(System system, std::string_view framework);

// Returns the sheet's stack for a framework name of the tables, or the system's own stack when the sheet
// lists none.
const Stack& stack_for(const System& system, std::string_view framework);

// Reads a shipped name or alias ("h100", "NVIDIA H100 80GB HBM3"), or a YAML file. Throws base::Error for an
// unknown name (with the nearest one), or with every mistake of the file.
System read_system(const std::string& name_or_path);
System parse_system(const std::string& yaml, const std::string& file);

// Writes the data sheet that parse_system reads back to the same values.
std::string write_system(const System& system);

// Returns the constants of a relative as `chip` reaches them. Operations per joule carry over between chips
// of one kind: where the relative sustains a smaller share of its peak than chips do with the default
// constants, its power budget is what limits it, and the share follows the budget per operation at the peak.
Calibration lent(Calibration constants, const Chip& relative, const Chip& chip, Precision precision);

// Copies the constants and values that the sheet does not state from the shipped sheet of a similar chip
// that it names (System::similar_chip). Does nothing when it names none. Throws base::Error when that chip is
// not shipped.
void inherit(System& system);

// Returns whether `device` is a name of the system: its own, an alias, or a shipped one of its family.
bool is_called(const System& system, std::string_view device);

// Returns the shipped system with this name or alias, in any case, or nullptr.
const System* find_shipped(std::string_view name);
const std::vector<System>& shipped_systems();

}  // namespace lento::predict
