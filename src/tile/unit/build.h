// Builds images from C or assembly with Debian's gcc-riscv64-unknown-elf and the shipped header, start-up
// code and linker script (guests/tile). The declarations of the program (ypu.h) fill the image's header.
#pragma once

#include <string>
#include <vector>

#include "tile/seal/image.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct BuildOptions {
  std::string compiler = "riscv64-unknown-elf-gcc";
  std::vector<std::string> flags = {"-O2"};
};

struct Built {
  Image image;         // block, abi, policy, rollback, expiry are the caller's to set
  std::string elf;     // for source lines and symbols
  int main_lines = 0;  // non-empty, non-comment lines of the body of YPU_MAIN in the source; 0 for assembly
};

// Builds a program from its text `source`. The ending of the file name `name` decides between C and assembly.
// Throws base::Error with the compiler's messages when the source does not compile, and base::Error when the
// program does not fit or has invalid declarations.
Built build_program(const std::string& source, const std::string& name, const BuildOptions& options = {});

// Makes an image from an ELF file that was linked for the tile's address map. Throws base::Error when a
// segment lies outside of it.
Image image_from_elf(const std::string& elf, const std::string& file);

// Lists the variables in the scratchpad of a linked ELF file, in the order of addresses.
std::vector<DataObject> data_objects(const std::string& elf, const std::string& file);

// Returns the source of a program that ships with Lento ("gpu.c", "values.c", ...), "" when there is none of
// this name.
std::string shipped_source(const std::string& name);
// Returns the result of build_program(shipped_source(name), name) with default options, but built in advance
// (guests/built, which a test compares with its sources), so no compiler is needed. Built::elf is empty.
// `name` must be one of shipped_programs().
Built shipped_build(const std::string& name);
std::vector<std::string> shipped_programs();

}  // namespace lento::tile
