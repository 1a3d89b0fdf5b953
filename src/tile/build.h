// Builds images from C, assembly or a shipped program, verifies them, and signs the owner's approval of an
// image.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/progress.h"
#include "tile/unit/build.h"
#include "tile/unit/verify/verify.h"

namespace lento::tile {

struct TileBuildOptions {
  std::string source;   // path of a .c or .S file that includes ypu.h; or else
  std::string shipped;  // name of a shipped program
  std::string optimise = "2";
  bool keep_elf = false;  // return the ELF file too, so a shipped program is compiled as well
  uint32_t block = 1;
  uint32_t abi = 1;
  uint32_t rollback = 1;
  std::string policy = "permissive";
  std::string expires;                                   // UTC, "" for never
  std::optional<std::pair<uint32_t, uint32_t>> trigger;  // start and stop address
};

struct TileBuild {
  Built built;
  std::string bytes;          // of the image file
  uint32_t instructions = 0;  // without the unused words between main and finish
};

TileBuild build_tile(const TileBuildOptions& options);

// Counts the instructions of an image: the 32-bit words of its code that are not 0, because 0 is no
// instruction.
uint32_t tile_instructions(const Image& image);

struct TileVerifyOptions {
  std::string image;
  std::string elf;  // the program's ELF file, for lines of its source; "": addresses only
};
struct TileVerification {
  VerifyReport report;
  // Lists the violations of a refused image by source line (only with an ELF file), and then the source lines
  // on main's path of most cycles (addresses without an ELF file). The path is left out when main has no
  // bound or takes more than 200,000 steps to follow.
  std::string worst_path;
};
TileVerification verify_tile(const TileVerifyOptions& options, const base::Progress& progress);

struct TileApproveOptions {
  std::string image;
  std::string source;
  std::string owner;
  std::string password;
  std::string output;
  std::string optimise = "2";
};
// Verifies an image and signs the owner's approval of it. Throws base::Error when the verifier does not
// accept the image, or when the owner's source does not compile to it. Returns nothing when interrupted.
std::optional<VerifyReport> approve_tile(const TileApproveOptions& options, const base::Progress& progress);

}  // namespace lento::tile
