// Blocks of bytes inside our own binary formats: zstd compression and a check sum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lento::base {

std::string compress_block(std::string_view bytes, int level = 3);

// Exactly `size` bytes, or false when the block is damaged or has another size. Never allocates more.
bool decompress_block(std::string_view block, size_t size, std::string& out);

// CRC-32 (IEEE 802.3).
uint32_t crc32(std::string_view bytes);

}  // namespace lento::base
