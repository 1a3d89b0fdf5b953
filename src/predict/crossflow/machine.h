// AGE, the architecture generation engine (CrossFlow section 4), generates a machine from technology and
// budgets.
//
// The voltage is the largest V with P(V) = P_nominal V (V - Vt)^2 / (Vn (Vn - Vt)^2) within the power share,
// and the frequency follows (V - Vt)^2 / V, with the threshold voltage Vt and the nominal voltage Vn.
// `BelowMargin` selects the rule for V under threshold + margin: the released CrossFlow tool keeps all units
// at that voltage and slows the clock, the paper switches units off. With the paper's rule the clock ends at
// a quarter over the nominal voltage. The tool has no such limit.
#pragma once

#include <array>

#include "predict/crossflow/config.h"

namespace lento::predict {

enum class BelowMargin {
  SlowerClock,
  FewerUnits
};

struct OperatingPoint {
  double voltage = 0;    // V
  double frequency = 0;  // Hz
};

struct MemoryLevel {
  double bytes = 0;
  double bytes_per_s = 0;      // with the utilisation factor applied
  double raw_bytes_per_s = 0;  // without the utilisation factor
  double latency = 0;          // s
  // Bandwidth of one sharer: an MCU (compute unit), a bundle of MCUs, or the whole chip.
  double bytes_per_scope = 0;
  int units = 0;  // banks or stacks
};

struct Link {
  double bytes_per_s = 0;  // from one node to one neighbour
  double latency = 0;      // s
  int count = 0;
  OperatingPoint point;
};

struct Machine {
  int mcus = 0;
  int bundles = 0;
  OperatingPoint core;
  double flops = 0;  // operations per second, with the utilisation factor applied
  double raw_flops = 0;
  std::array<MemoryLevel, 4> memory;  // registers, L1, L2, DRAM
  int dram_links = 0;
  OperatingPoint dram;
  Link intra;
  Link inter;
};

Machine generate(const CrossFlowConfig& config, BelowMargin rule = BelowMargin::SlowerClock);

}  // namespace lento::predict
