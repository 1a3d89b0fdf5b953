// Technology generations of logic, memory and network, applied to a design point (CrossFlow section 9).
//
// Logic: each node after N12 needs 1/1.8 of the area and 1/1.3 of the power for the same work (CrossFlow
// section 9, its sources [11], [12]), and the same holds for SRAM cells and controllers. Memory and network
// generations scale the rate of a link and lower its energy by the same factor, so that they give their
// bandwidth at the same power.
#pragma once

#include <string>
#include <vector>

#include "predict/crossflow/config.h"

namespace lento::predict {

struct Generation {
  std::string name;
  double value = 0;  // logic: steps after N12; memory and network: bytes per second of a node
};

const std::vector<Generation>& logic_nodes();          // N12, N7, N5, N3, N2, N1.4, N1
const std::vector<Generation>& memory_generations();   // HBM2 1, HBM2e 2, HBM3 2.6, HBM4 3.3 TB/s
const std::vector<Generation>& network_generations();  // NDR-x8 100, XDR-x8 200, GDR-x8 400 GB/s

// Returns the generation of that name. Throws base::Error with the nearest existing one.
const Generation& generation(const std::vector<Generation>& known, const std::string& name);

// Scales `base`, which must be an N12, HBM2, NDR-x8 design, to these generations.
CrossFlowConfig with_technology(
    CrossFlowConfig base,
    const Generation& logic,
    const Generation& memory,
    const Generation& network);

}  // namespace lento::predict
