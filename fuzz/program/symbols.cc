// Any bytes as a program with symbols and debug information, and as a name that a compiler mangled.
#include "program/symbols.h"

#include <algorithm>

#include "base/error.h"
#include "memory_file.h"
#include "program/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
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
  } catch (const base::Error&) {
  }
  return 0;
}
