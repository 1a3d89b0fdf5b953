// Compiles programs for the tile in a temporary folder with the shipped header, start-up code and linker
// script, and turns the linked ELF file into an image. Sources are passed with #line, so that messages name
// the user's file.
#include "tile/unit/build.h"

#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "embedded/tile_built.h"
#include "embedded/tile_guests.h"
#include "riscv/elf.h"
#include "tile/seal/minisign.h"
#include "tile/unit/tool.h"

namespace lento::tile {
namespace {

namespace fs = std::filesystem;

// Returns whether a shipped file is a program (C), and not a header, a linker script or start-up code.
bool is_program(std::string_view file) {
  return file.ends_with(".c");
}

// Counts the lines of the body of YPU_MAIN that hold more than braces, blanks and comments. Returns 0 when
// the source has none.
int count_main_lines(const std::string& source) {
  size_t at = source.find("YPU_MAIN");
  at = at == std::string::npos ? at : source.find('{', at);
  if (at == std::string::npos)
    return 0;
  int depth = 0;
  int lines = 0;
  bool code = false;
  for (; at < source.size(); ++at) {
    const char c = source[at];
    if (source.compare(at, 2, "//") == 0)
      at = std::min(source.find('\n', at), source.size()) - 1;
    else if (source.compare(at, 2, "/*") == 0)
      at = std::min(source.find("*/", at), source.size() - 2) + 1;
    else if (c == '{')
      ++depth;
    else if (c == '}' && --depth == 0)
      return lines + code;
    else if (c == '\n') {
      lines += code;
      code = false;
    } else if (!std::isspace(static_cast<unsigned char>(c)) && c != '}')
      code = true;
  }
  return lines;
}

uint32_t declared(const riscv::ElfImage& elf, const std::string& name, uint32_t fallback) {
  return elf.find("ypu_declare_" + name).value_or(fallback);
}

// Returns a #line directive, after which messages and line tables name the file `name` and count its lines
// from 1.
std::string named(const std::string& name) {
  std::string out = "#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"\n";
}

}  // namespace

Image image_from_elf(const std::string& bytes, const std::string& file) {
  const riscv::ElfImage elf = riscv::parse_elf(bytes, file);
  Image image;
  for (const riscv::ElfSegment& segment : elf.segments) {
    const bool code = segment.address < kCodeBytes;
    const uint32_t base = code ? 0 : kDataBase;
    const uint32_t limit = code ? kCodeBytes : kDataBytes;
    if (segment.address < base || segment.address - base + uint64_t{segment.memory_bytes} > limit) {
      throw base::Error(
          {file},
          "a part of the program lies outside the tile's map",
          "link it with guests/tile/ypu.ld: code below 0x2000, data from 0x8000");
    }
    std::string& part = code ? image.code : image.data;
    const size_t end = segment.address - base + segment.bytes.size();
    if (part.size() < end)
      part.resize(end);
    part.replace(segment.address - base, segment.bytes.size(), segment.bytes);
  }
  image.code.resize((image.code.size() + 3) / 4 * 4);
  const auto main = elf.find("ypu_main");
  if (!main || *main % 4 || *main >= image.code.size())
    throw base::Error({file}, "the program has no ypu_main", "write YPU_MAIN { ... }");
  image.main_entry = *main;
  image.input_mask = declared(elf, "inputs", 1);
  image.arrival_cycles = declared(elf, "arrival", 1);
  image.output_bytes = declared(elf, "output_bytes", 0);
  image.output_cycles = declared(elf, "output_cycles", 1);
  image.drops_declared = declared(elf, "drops", 0) != 0;
  if (image.arrival_cycles == 0 || image.output_cycles == 0) {
    throw base::Error({file}, "a declared period is 0 cycles", "YPU_ARRIVAL and YPU_OUTPUT take 1 or more");
  }
  return image;
}

std::vector<DataObject> data_objects(const std::string& bytes, const std::string& file) {
  std::vector<DataObject> out;
  for (const riscv::ElfSymbol& symbol : riscv::parse_elf(bytes, file).symbols) {
    const bool data = symbol.address >= kDataBase && symbol.address - kDataBase < kDataBytes;
    if (!symbol.function && symbol.size > 0 && data)
      out.push_back({symbol.address, symbol.size, symbol.name});
  }
  return out;
}

Built build_program(const std::string& source, const std::string& name, const BuildOptions& options) {
  const TempFolder dir;
  for (const std::string_view file : embedded::tile_guests_names()) {
    if (!is_program(file))
      base::write_file(dir / std::string(file), std::string(embedded::tile_guests(file)));
  }
  const std::string extension =
      fs::path(name).extension() == ".S" || fs::path(name).extension() == ".s" ? ".S" : ".c";
  base::write_file(dir / ("program" + extension), named(name) + source);
  std::vector<std::string> args = {
      options.compiler,
      "-march=rv32i",
      "-mabi=ilp32",
      "-ffreestanding",
      "-nostdlib",
      "-static",
      "-g",
      "-fno-jump-tables",
      "-fno-tree-loop-distribute-patterns",
      "-Wall",
      "-I" + dir / "",
      "-T",
      dir / "ypu.ld"};
  args.insert(args.end(), options.flags.begin(), options.flags.end());
  for (const std::string& more :
       {dir / ("program" + extension),
        dir / "ypu_start.S",
        std::string("-lgcc"),
        std::string("-o"),
        dir / "program.elf"}) {
    args.push_back(more);
  }
  const int rc = run_program(args, dir / "log");
  if (rc == 127)
    throw base::Error({name}, "cannot run '" + options.compiler + "'", "install gcc-riscv64-unknown-elf");
  if (rc != 0) {
    std::string log = base::read_file(dir / "log", 1 << 20);
    for (size_t at; (at = log.find(dir / "program" + extension)) != std::string::npos;) {
      log.replace(at, (dir / "program" + extension).size(), name);
    }
    throw base::Error({name}, "the program does not compile:\n" + log);
  }
  Built built;
  built.elf = base::read_file(dir / "program.elf", 16 << 20);
  built.image = image_from_elf(built.elf, name);
  built.image.metadata =
      "name: " + fs::path(name).filename().string() + "\nsource: " + sha256_hex(source) + "\n";
  built.main_lines = extension == ".c" ? count_main_lines(source) : 0;
  return built;
}

std::string shipped_source(const std::string& name) {
  return std::string(embedded::tile_guests(name));
}

Built shipped_build(const std::string& name) {
  const std::string_view bytes = embedded::tile_built(fs::path(name).stem().string() + ".ypu");
  LENTO_CHECK(!bytes.empty(), "every program that ships has its image in guests/built");
  Built built;
  built.image = parse_image(bytes, name);
  built.main_lines = count_main_lines(shipped_source(name));
  return built;
}

std::vector<std::string> shipped_programs() {
  std::vector<std::string> out;
  for (const std::string_view name : embedded::tile_guests_names()) {
    if (is_program(name))
      out.emplace_back(name);
  }
  return out;
}

}  // namespace lento::tile
