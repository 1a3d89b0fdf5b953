// Any bytes as a program with symbols and debug information, where it was linked and where a process mapped
// it, and as a name that a compiler mangled.
#include "program/symbols.h"

#include <algorithm>

#include "base/error.h"
#include "memory_file.h"
#include "program/address_space.h"
#include "program/demangle.h"

namespace {

using namespace lento;

// Names the addresses of a process that mapped the file. The program is given too, with an address or
// without, or the trace alone names it.
void place(const std::string& path, uint64_t low, uint64_t high) {
  constexpr uint64_t kBias = 0x10000;
  for (const char* given : {"", "@0x20000", "none"}) {
    program::AddressSpace space;
    if (given != std::string("none"))
      space.add_program(path + given);
    space.add_data({1, low, high, "block", "main.c:3"});
    space.add_mapping({1, low + kBias, high + kBias, 0, path});
    space.identify_mappings();
    space.programs();
    space.text();
    const uint64_t step = std::max<uint64_t>(1, (high - low) / 16);
    for (uint64_t i = 0, at = low + kBias; i < 16; ++i, at += step) {
      space.function_at(1, at);
      space.frames(1, at);
      space.describe(1, at);
      space.declarations(1, at);
      space.is_cpp(1, at);
      uint64_t linked = 0;
      space.program_at(1, at, linked);
      program::DataObject object;
      space.object_at(1, at, object);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  const std::string text(reinterpret_cast<const char*>(data), size);
  program::demangle(text.substr(0, 256));
  try {
    const program::Symbols symbols(file.fill(data, size));
    const program::Symbol whole = symbols.extent();
    symbols.build_id();
    const uint64_t step = std::max<uint64_t>(1, (whole.high - whole.low) / 64);
    for (uint64_t i = 0, at = whole.low; i < 64; ++i, at += step) {
      symbols.function_at(at);
      symbols.variable_at(at);
      symbols.frames(at);
      symbols.describe(at);
      symbols.declarations(at);
      symbols.is_cpp(at);
      symbols.is_code(at);
      symbols.makes_access(at, program::AccessType::Load);
      uint64_t address = 0;
      symbols.address_of_offset(i, address);
    }
    place(file.path(), whole.low, whole.high);
  } catch (const base::Error&) {
  }
  return 0;
}
