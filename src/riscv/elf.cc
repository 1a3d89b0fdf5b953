// Reads RISC-V executables. The file may be hostile, so an Image checks every offset and size against the
// file before it reads, and segments may not overlap or leave the address space.
#include "riscv/elf.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/file.h"

namespace lento::riscv {
namespace {

using base::Error;

constexpr uint64_t kMaxFile = uint64_t{256} << 20;
constexpr uint16_t kExecutable = 2;
constexpr uint16_t kRiscv = 243;
constexpr uint32_t kLoadSegment = 1;
constexpr uint32_t kSymbolTable = 2;

// Reads little-endian numbers and slices of the file, with bounds checks.
class Image {
 public:
  Image(std::string_view bytes, const std::string& file)
      : bytes_(bytes),
        file_(file) {
  }

  // Returns a part of the file. Throws base::Error outside it.
  std::string_view slice(uint64_t offset, uint64_t size, const char* what) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      fail(
          std::string(what) + " at offset " + std::to_string(offset) + ", size " + std::to_string(size) +
          ", lies outside the file of " + std::to_string(bytes_.size()) + " bytes");
    }
    return bytes_.substr(offset, size);
  }
  uint16_t u16(uint64_t offset, const char* what) const {
    return uint16_t(number(slice(offset, 2, what)));
  }
  uint32_t u32(uint64_t offset, const char* what) const {
    return number(slice(offset, 4, what));
  }
  [[noreturn]] void fail(const std::string& message, const std::string& hint = "") const {
    throw Error({file_}, message, hint);
  }

 private:
  static uint32_t number(std::string_view text) {
    uint32_t value = 0;
    for (size_t i = text.size(); i-- > 0;)
      value = value << 8 | uint8_t(text[i]);
    return value;
  }
  std::string_view bytes_;
  const std::string& file_;
};

// Throws base::Error unless the file is a 32-bit RISC-V program.
void check_header(const Image& image) {
  const std::string_view ident = image.slice(0, 52, "the ELF header");
  if (ident.substr(0, 4) != "\177ELF")
    image.fail("not an ELF file", "build the guest with riscv64-unknown-elf-gcc");
  if (ident[4] != 1)
    image.fail(
        "a 64-bit ELF file, needed a 32-bit one",
        "a program of this machine is recorded: lento memory record -- ./program; for the simulator build "
        "with -march=rv32ima -mabi=ilp32");
  if (ident[5] != 1)
    image.fail("a big-endian ELF file, needed a little-endian one");
  if (image.u16(18, "the machine") != kRiscv)
    image.fail("not a RISC-V program");
  if (image.u16(16, "the type") != kExecutable)
    image.fail("not an executable", "link it; object files and libraries cannot run");
}

// Warns of compressed instructions. The flag marks the whole program, but a guarded branch may never reach
// them, so this is no error.
std::vector<std::string> warnings_of(const Image& image) {
  constexpr uint32_t kCompressed = 1;
  if ((image.u32(36, "the flags") & kCompressed) == 0)
    return {};
  return {
      "the program is marked as using compressed instructions; a hart traps where one is reached "
      "(compile with -march=rv32ima to have none)"};
}

std::vector<ElfSegment> read_segments(const Image& image) {
  const uint32_t table = image.u32(28, "the program header offset");
  const uint16_t entry_bytes = image.u16(42, "the program header size");
  const uint16_t count = image.u16(44, "the program header count");
  if (count > 0 && entry_bytes < 32)
    image.fail("program headers of " + std::to_string(entry_bytes) + " bytes, needed 32");
  std::vector<ElfSegment> segments;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = table + i * entry_bytes;
    image.slice(at, 32, "a program header");
    const uint32_t memory_bytes = image.u32(at + 20, "");
    if (image.u32(at, "") != kLoadSegment || memory_bytes == 0)
      continue;
    ElfSegment segment;
    segment.address = image.u32(at + 8, "");
    segment.memory_bytes = memory_bytes;
    const uint32_t file_bytes = image.u32(at + 16, "");
    const uint32_t flags = image.u32(at + 24, "");
    if (file_bytes > memory_bytes)
      image.fail("a segment has more bytes in the file than in memory");
    if (uint64_t{segment.address} + memory_bytes > (uint64_t{1} << 32))
      image.fail("a segment ends beyond 4 GiB");
    segment.bytes = image.slice(image.u32(at + 4, ""), file_bytes, "a segment");
    segment.executable = flags & 1;
    segment.writable = flags & 2;
    segments.push_back(std::move(segment));
  }
  if (segments.empty())
    image.fail("no segment to load");
  std::ranges::sort(segments, [](const auto& a, const auto& b) {
    return a.address < b.address;
  });
  for (size_t i = 1; i < segments.size(); ++i) {
    if (uint64_t{segments[i - 1].address} + segments[i - 1].memory_bytes > segments[i].address)
      image.fail("two segments overlap");
  }
  return segments;
}

std::vector<ElfSymbol> read_symbols(const Image& image) {
  const uint32_t table = image.u32(32, "the section header offset");
  const uint16_t entry_bytes = image.u16(46, "the section header size");
  const uint16_t count = image.u16(48, "the section header count");
  std::vector<ElfSymbol> symbols;
  if (table == 0 || count == 0)
    return symbols;
  if (entry_bytes < 40)
    image.fail("section headers of " + std::to_string(entry_bytes) + " bytes, needed 40");
  const auto header = [&](uint64_t index) {
    if (index >= count)
      image.fail("a symbol table names section " + std::to_string(index) + " of " + std::to_string(count));
    image.slice(table + index * entry_bytes, 40, "a section header");
    return table + index * entry_bytes;
  };
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = header(i);
    if (image.u32(at + 4, "") != kSymbolTable)
      continue;
    const uint64_t strings = header(image.u32(at + 24, ""));
    const std::string_view names =
        image.slice(image.u32(strings + 16, ""), image.u32(strings + 20, ""), "a string table");
    const uint64_t offset = image.u32(at + 16, "");
    const uint64_t size = image.u32(at + 20, "");
    image.slice(offset, size, "a symbol table");
    for (uint64_t s = 0; s + 16 <= size; s += 16) {
      const uint32_t name = image.u32(offset + s, "");
      const uint8_t type = uint8_t(image.slice(offset + s + 12, 1, "")[0]) & 15;
      const uint16_t section = image.u16(offset + s + 14, "");
      if (section == 0 || type > 2 || name == 0 || name >= names.size())
        continue;  // undefined, file and section entries
      const std::string_view text = names.substr(name, names.substr(name).find('\0'));
      symbols.push_back(
          {std::string(text), image.u32(offset + s + 4, ""), image.u32(offset + s + 8, ""), type == 2});
    }
    break;  // a program has one
  }
  std::ranges::sort(symbols, [](const ElfSymbol& a, const ElfSymbol& b) {
    if (a.address != b.address)
      return a.address < b.address;
    return a.name < b.name;
  });
  return symbols;
}

}  // namespace

std::optional<uint32_t> ElfImage::find(std::string_view name) const {
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.name == name)
      return symbol.address;
  }
  return std::nullopt;
}

ElfImage parse_elf(std::string_view bytes, const std::string& file) {
  const Image image(bytes, file);
  check_header(image);
  ElfImage out;
  out.entry = image.u32(24, "the entry");
  out.segments = read_segments(image);
  out.symbols = read_symbols(image);
  out.warnings = warnings_of(image);
  if (out.entry & 3)
    image.fail("the entry address is not a multiple of 4");
  return out;
}

ElfImage read_elf(const std::string& path) {
  return parse_elf(base::read_file(path, kMaxFile), path);
}

}  // namespace lento::riscv
