// Compresses blocks of bytes with zstd and computes check sums, for Lento's own binary formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lento::base {

std::string compress_block(std::string_view bytes, int level = 3);

// Decompresses a block that must hold exactly `size` bytes. Returns false when the block is damaged or has
// another size. Never allocates more than `size` bytes.
bool decompress_block(std::string_view block, size_t size, std::string& out);

// Computes the CRC-32 of IEEE 802.3.
uint32_t crc32(std::string_view bytes);

}  // namespace lento::base
