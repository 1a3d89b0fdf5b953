// Faults to simulate: component, factor and time. YAML `lento.faults/1` or the fault JSON of the released
// SLOTH data set (docs/formats/faults.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "chip/map/grid.h"
#include "spec/chip.h"

namespace lento::chip {

enum class Part : uint8_t {
  Core,
  Link,
  Router,
  MemoryUnit,
  DramPort
};

struct Fault {
  Part part = Part::Core;
  int index = -1;      // core, router, memory unit, port, or the first core of a link; -1: not on this chip
  int other = -1;      // Link: the second core; both directions are slow
  std::string name;    // "link5-9"
  double factor = 1;   // times slower, at least 1
  uint64_t begin = 0;  // cycles
  uint64_t end = UINT64_MAX;  // cycles, exclusive
  uint64_t ramp = 0;          // the factor rises from 1 over this many cycles after begin
  uint64_t period = 0;        // cycles; above 0: slow only for the first `on` cycles of each period
  uint64_t on = 0;

  bool exists() const {
    return index >= 0;
  }
  bool holds(uint64_t now) const;  // whether `now` is inside the fault, in an 'on' phase
  // Returns how much slower an action that starts at `now` is, 1 outside the fault.
  double at(uint64_t now) const;
};

// Throws base::Error on a broken file, and on a sheet (Grid::is_sheet) also when the chip lacks a component.
// On other chips a component that the chip lacks gives a Fault that does not exist(). A campaign counts it as
// not applicable.
std::vector<Fault> read_faults(const std::string& path, const spec::Chip& chip);
std::vector<Fault> parse_faults(const std::string& text, const std::string& file, const spec::Chip& chip);

// Writes the YAML form, times in cycles. parse_faults(write_faults(f)) gives f again when all faults exist
// and their times are below 2^53 cycles.
std::string write_faults(const std::vector<Fault>& faults);

// Throws base::Error naming the first fault whose component the chip does not have.
void require_present(const std::vector<Fault>& faults, const std::string& file);

// Throws base::Error naming the first fault that begins after a run of so many cycles has ended.
void require_reached(const std::vector<Fault>& faults, uint64_t cycles, const std::string& file);

// Returns false when a component of the file is not on the chip, so that the file does not apply to it.
bool applicable(const std::vector<Fault>& faults);

// Parses "core5", "link5-9", "router5", "lsu5" or "dram-left-2" to part and index. On a chip that declares
// its own interconnect (Grid::is_sheet), it parses the names that the file gives to the components. The fault
// does not exist() when the word is well formed but the chip has no such component. Throws base::Error at
// `where` on another word, and on a sheet also when no component that works has the name.
Fault component(const std::string& name, const Grid& grid, const base::Location& where);

}  // namespace lento::chip
