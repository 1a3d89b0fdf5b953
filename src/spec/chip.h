// A many-core accelerator as specified: grid, cores, network, memory, probes. It is read from YAML
// `lento.chip/1` or `lento.chip/2` (docs/formats/chip.md), or from the architecture JSON of the released
// SLOTH example.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "spec/interconnect.h"

namespace lento::spec {

// The order of core numbers: Rows is y * width + x, Columns is x * height + y (the released SLOTH example).
enum class Numbering : uint8_t {
  Rows,
  Columns
};

struct Chip {
  std::string name = "chip";
  int width = 4;   // cores along x, 1..256; of a sheet the tiles of all chips, side by side
  int height = 4;  // cores along y, 1..256; width * height is at most 16,384
  Topology topology = Topology::Mesh;
  Numbering numbering = Numbering::Rows;
  double clock_hz = 1e8;

  struct Core {
    double ops_per_cycle = 1024;     // mean rate of the compute unit
    double rate_deviation = 0.0152;  // standard deviation of the rate over its mean; drawn per operation
    int issue_window = 10;           // instructions of one core in flight
    int start_up_cycles = 10;        // of every message, before its first segment
    int64_t scratchpad_bytes = 2 << 20;
    double scratchpad_bytes_per_cycle = 128;
  } core;

  struct Network {
    double link_bytes_per_cycle = 16;
    double transit_cv = 0.35;          // of the Gamma-distributed transit time; its mean is kept
    int router_cycles = 1;             // per hop
    int64_t segment_bytes = 64 << 10;  // messages interleave in pieces of at most this size
    int buffer_segments = 2;           // per input port and virtual channel; 0: unbounded
  } network;

  struct MemoryUnit {            // one per core: moves data between DRAM and its scratchpad
    int slots = 4;               // transfers at a time
    double bytes_per_cycle = 4;  // of one slot
  } memory_unit;

  struct Dram {
    double port_bytes_per_cycle = 16;  // one port per row on the left and one on the right edge
    int latency_cycles = 0;            // from a request to its first byte
  } dram;

  struct Probe {                    // what one record costs the core that writes it
    int clock_read_cycles = 10;     // two reads a record
    int record_bytes = 40;          // written at scratchpad width
    int sketch_insert_cycles = 50;  // when a recorder takes it
  } probe;

  // Holds the tiles and networks of a `lento.chip/2` sheet. When absent, every place of the grid is a core,
  // one network of `topology` with x-first routing joins them, and DRAM ports are at both ends of each row.
  std::optional<Interconnect> interconnect;

  int core_count() const {
    if (interconnect)
      return interconnect->count(TileKind::Core);
    return width * height;
  }
};

// Reads a chip from YAML (lento.chip/1 or lento.chip/2) or from the JSON that SLOTH released, which starts
// with '{'. Throws base::Error that names every bad key of the file at once. A lento.chip/2 file without
// `core` describes data movement only and is refused too, because no program can be mapped on it.
Chip read_chip(const std::string& path);
Chip parse_chip(const std::string& text, const std::string& file);

// Writes the YAML form, which parse_chip reads back to an equal chip.
std::string write_chip(const Chip& chip);

}  // namespace lento::spec
