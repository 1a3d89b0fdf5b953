// Proposes a change of the source that separates contended data: the declaration to align, as a unified diff.
#pragma once

#include <cstdint>
#include <string>

#include "memory/mine/contention.h"
#include "program/address_space.h"

namespace lento::memory {

struct LayoutChange {
  std::string what;  // "align the first member of the elements of counters to 64 bytes"; "": nothing is known
  std::string diff;  // "" when one inserted word is not enough, or without the source
};

// Proposes, for false sharing, an alignment that separates parts[0] of the object from the first other part
// with a different declaration. Returns an empty change when there is none, or no debug information.
LayoutChange
propose_layout(const program::AddressSpace& names, const FoundObject& object, uint32_t line_bytes);

// Returns `line` of a source with an alignment before the declaration of `name`, whose name starts at
// `column` (from 1, 0 when unknown). Returns "" when the line does not declare it alone.
std::string
align_declaration(const std::string& line, const std::string& name, int column, uint32_t bytes, bool cpp);

}  // namespace lento::memory
