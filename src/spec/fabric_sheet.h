// One or more chips as data: the networks between tiles, the cost of moving data, and the cost of a program's
// own steps. It is read from YAML `lento.chip/2` (docs/formats/chip.md). A file of `lento.chip/1` is read as
// the fabric of its mesh, ring or torus.
//
// All times are cycles of the chip's clock and all rates bytes per cycle, unless a name carries another unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/chip.h"

namespace lento::spec {

struct FabricSheet : Interconnect {
  std::string name = "fabric";
  double clock_hz = 1e9;
  struct Link {
    double bytes_per_cycle = 32;
    double hop_cycles = 1;     // a packet's head through one router and link
    double packet_cycles = 0;  // a link is taken by a packet beyond bytes / rate
    int virtual_channels =
        0;  // packets that may hold a link at a time, on either side of a ring's wrap; 0: any
    double buffer_bytes = 0;   // of a packet, between two links, a virtual channel; 0: unbounded
    double transit_cv = 0.35;  // of a mapped workload's segments, as Chip::Network
    int64_t segment_bytes = 64 << 10;
  } link;
  struct Port {  // between a tile and its router, one each way and network
    double bytes_per_cycle = 32;
    double cycles = 1;
    int channels = 0;  // packets that one tile may be sending in one direction of a network; 0: any
  } port;
  struct Memory {
    double bytes_per_cycle = 32;
    double read_cycles = 0;  // from a request to its first byte
  } core_memory, dram;

  struct Processor {  // a data-moving processor of a core, by the name that records give it
    std::string name;
    double start_cycles = 0;       // from its zone's begin to its first transfer
    double issue_core_cycles = 1;  // from one transfer with a core to the next
    double issue_dram_cycles = 1;  // from one transfer with DRAM to the next
    double turn_cycles = 0;        // more when the next transfer is with another core
  };
  std::vector<Processor> processors;  // a name not listed takes the first one's numbers
  double completion_cycles = 0;       // from the last byte's arrival to the end of the wait for it
  double resume_cycles = 0;           // from the end of a wait to the next transfer

  // True when the file has a `core` section, so that the members below, which a mapped workload needs, are
  // valid. A file without it describes data movement only.
  bool computes = false;
  Chip::Core core;
  Chip::MemoryUnit memory_unit;
  Chip::Probe probe;

  // Rates of single cores and clocks of single chips, at most those that the members above state. Empty when
  // all are equal.
  std::vector<double> core_rates;  // operations per cycle, by tile of a chip; of tiles that are no cores too
  std::vector<double> clocks_hz;   // by chip
};

// Reads a chip description of schema lento.chip/1 or lento.chip/2 from a path, or one that is shipped with
// Lento by its name ("wormhole", "blackhole"). Throws base::Error that names every bad key of the file at
// once.
FabricSheet read_fabric(const std::string& path);
FabricSheet parse_fabric(const std::string& text, const std::string& file);

// Converts a `lento.chip/1` chip: equal cores, one network, and for a mesh a column of DRAM tiles at either
// edge.
FabricSheet fabric_of(const Chip& chip);

// Derives the chip for a mapped workload from `lento.chip/2`. The scratchpad's rate is the smaller of the
// rates of the core's port and of its memory, in bytes per cycle. A buffer size in bytes becomes a number of
// whole segments (Chip::Network::segment_bytes), at least one. Precondition: sheet.computes.
Chip chip_of(const FabricSheet& sheet);

// Builders of sheets whose tiles are all cores.
FabricSheet mesh_fabric(int width, int height);
FabricSheet torus_fabric(int width, int height);
FabricSheet ring_fabric(int length);
// Adds a second network with opposite directions and the opposite order of dimensions.
void add_opposite_network(FabricSheet& sheet);
// Switches off the cores of these rows and columns. Their routers still pass traffic.
void harvest(FabricSheet& sheet, const std::vector<int>& rows, const std::vector<int>& columns);
// Repeats the sheet on `chips` chips in a line or ring. Links in both directions join the middle of the right
// edge of each chip to the middle of the left edge of the next.
void join_chips(FabricSheet& sheet, int chips, bool ring);

}  // namespace lento::spec
