// The sections that both versions of a chip file share. Internal to spec.
#pragma once

#include <string>

#include "spec/chip.h"
#include "spec/fabric_sheet.h"
#include "spec/yaml.h"

namespace lento::spec {

constexpr int kMaxCores = 16384;
constexpr double kMaxRate = 1e9;  // per cycle, of anything
constexpr double kMinRate = 1e-6;

void read_bytes(Fields& fields, std::string_view key, int64_t& out, double min, double max);
void read_rate(Fields& fields, std::string_view key, double& out);

// Tells whether the section `core` states the bytes per cycle of the scratchpad (`lento.chip/1`), or the
// sections `core_memory` and `port` do (`lento.chip/2`).
enum class ScratchpadRate {
  Given,
  Elsewhere
};

// Returns whether the file has a section `core`.
bool read_core(Fields& top, Chip::Core& core, ScratchpadRate rate, base::ErrorList& errors);
void read_memory_unit(Fields& top, Chip::MemoryUnit& unit, base::ErrorList& errors);
void read_probe(Fields& top, Chip::Probe& probe, base::ErrorList& errors);

// Write the sections in the form in which they are read.
std::string write_core(const Chip::Core& core, ScratchpadRate rate);
std::string write_memory_unit(const Chip::MemoryUnit& unit);
std::string write_probe(const Chip::Probe& probe);

// Records errors unless a mapped workload can run on the sheet: it needs a `core` section, working cores,
// DRAM, a network for each kind of traffic, and links in both directions between all chips.
void require_workable(const FabricSheet& sheet, const base::Location& where, base::ErrorList& errors);

}  // namespace lento::spec
