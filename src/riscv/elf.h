// ELF32 little-endian RISC-V executables: segments of memory, entry point and symbols. The file is hostile:
// every offset is checked, and nothing is allocated beyond the size of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::riscv {

struct ElfSegment {
  uint32_t address = 0;
  uint32_t memory_bytes = 0;  // >= bytes.size(); the rest is zero
  bool executable = false;
  bool writable = false;
  std::string bytes;
};

struct ElfSymbol {
  std::string name;
  uint32_t address = 0;
  uint32_t size = 0;
  bool function = false;
};

struct ElfImage {
  uint32_t entry = 0;
  std::vector<ElfSegment> segments;   // by address, not overlapping
  std::vector<ElfSymbol> symbols;     // named functions, objects and labels, by address then name
  std::vector<std::string> warnings;  // for the user: what may not run

  std::optional<uint32_t> find(std::string_view name) const;
  uint32_t begin() const {
    return segments.front().address;
  }
  uint64_t end() const {
    return uint64_t{segments.back().address} + segments.back().memory_bytes;
  }
};

// Throws base::Error that names `file` when it is no executable that RV32 can run.
ElfImage parse_elf(std::string_view bytes, const std::string& file);
ElfImage read_elf(const std::string& path);

}  // namespace lento::riscv
