// Reads Prometheus' chunk format: frames of a streamed remote read and Gorilla-style XOR chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/error.h"

namespace lento::fleet {

// Calls `sample(time_ms, value)` for each sample at `from_ms` or later of one XOR chunk (2 bytes of count,
// then bits: first time and value, first delta, then deltas of deltas and XORed values). Returns false when
// the chunk is cut short or its bits are invalid, after calling `sample` for the samples before the damage.
bool read_xor_chunk(
    std::string_view bytes,
    const std::function<void(int64_t, double)>& sample,
    int64_t from_ms = INT64_MIN);

// Splits a body into frames: length (varint), CRC-32C of the payload (4 bytes, big-endian), payload. Calls
// `frame(payload)` for each intact frame. Returns why it stopped before the end of the body, or "".
std::string_view read_frames(std::string_view body, const std::function<void(std::string_view)>& frame);

uint32_t crc32c(std::string_view bytes);

}  // namespace lento::fleet
