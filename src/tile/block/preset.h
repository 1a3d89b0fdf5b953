// Signal maps of standard interfaces, shipped as data: RVFI and E-trace of RISC-V cores, AXI4, AXI4-Lite and
// TileLink. The maps (share/lento/tile-maps) write each signal as '$' and its name in the standard.
#pragma once

#include <string>
#include <vector>

#include "tile/block/signal_map.h"

namespace lento::tile {

std::vector<std::string> preset_names();

// Returns the map for `preset`, which is NAME:PREFIX, with the signal `clock` as the block's clock. The
// prefix is all that the recording writes before the standard's name of a signal: axi4:top.dut.m_axi_ reads
// top.dut.m_axi_awaddr. Throws base::Error, with the names of all presets, when none is called NAME.
SignalMap preset_map(const std::string& preset, const std::string& clock);

}  // namespace lento::tile
