// The image: one analytics program as it is stored, signed and loaded (docs/formats/tile-image.md).
//
// Little-endian. A fixed header, a section table with a SHA-256 digest per section, then the sections without
// gaps. There is exactly one way to write an image. Parsing refuses anything that would not be written back
// to the same bytes, so a signature over the file covers every bit of its meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lento::tile {

// The owner's policy for programs on a block. policy.h lists what each one requires.
enum class Policy : uint8_t {
  Closed = 0,
  Restrictive = 1,
  Permissive = 2
};
std::string_view policy_name(Policy policy);
Policy parse_policy(std::string_view text, std::string_view file);

// The tile's fixed sizes and addresses, in bytes (Bryt section 5).
inline constexpr uint32_t kCodeBytes = 0x2000;    // 2,048 instructions
inline constexpr uint32_t kFinishEntry = 0x1fc0;  // word 0x7F0
inline constexpr uint32_t kDataBase = 0x8000;
inline constexpr uint32_t kDataBytes = 0x8000;  // the scratchpad
inline constexpr uint32_t kSoftLogicBytes = 1 << 20;
inline constexpr uint32_t kMetadataBytes = 1 << 16;

struct Image {
  static constexpr uint32_t kFormat = 1;

  uint32_t block = 0;  // id of the block it is made for (DAT)
  uint32_t abi = 0;    // version of that block's list of signals
  Policy policy = Policy::Permissive;
  uint32_t rollback = 0;   // increases with every release; a tile refuses lower values than it has loaded
  uint64_t expires = 0;    // Unix seconds; 0: never
  bool triggered = false;  // trigger_start and trigger_end hold values
  uint32_t trigger_start = 0;
  uint32_t trigger_end = 0;
  uint32_t main_entry = 0;      // byte address; init is 0, finish is kFinishEntry
  uint32_t input_mask = 0;      // IORegs whose arrival starts main
  uint32_t arrival_cycles = 1;  // declared: least tile cycles from one input to the next
  uint32_t output_bytes = 0;    // declared: at most so many bytes ...
  uint32_t output_cycles = 1;   // ... per so many tile cycles
  bool drops_declared = false;  // the author accepts that inputs arrive faster than main runs

  std::string code;        // up to kCodeBytes, a multiple of 4
  std::string data;        // scratchpad contents from kDataBase
  std::string soft_logic;  // name and parameters of the soft-logic design, or its bitstream
  std::string metadata;    // UTF-8 text: name, version, source digest

  bool operator==(const Image&) const = default;
};

// Parses an image. Throws base::Error that names the first wrong field: magic, version, sizes, digest, order,
// trailing bytes. `file` is for the message.
Image parse_image(std::string_view bytes, std::string_view file);

// Returns the bytes of an image. LENTO_CHECK fails when a section exceeds the limits above.
std::string write_image(const Image& image);

}  // namespace lento::tile
