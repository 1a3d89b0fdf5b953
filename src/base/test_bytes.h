// Bytes for tests of readers of binary formats.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace lento::base::test {

// The lowest `bytes` bytes of a value, the lowest first.
inline std::string little(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i)
    out += char(value >> (8 * i));
  return out;
}

// Protocol buffers: a number in groups of seven bits, the lowest first.
inline void append_varint(std::string& out, uint64_t v) {
  for (; v >= 128; v >>= 7)
    out += char(v | 128);
  out += char(v);
}

// Returns a length-prefixed protobuf message whose fields, given as pairs of number and value, are all
// varints.
inline std::string packet(std::initializer_list<std::pair<int, uint64_t>> fields) {
  std::string body;
  for (const auto& [field, value] : fields) {
    append_varint(body, uint64_t(field) << 3);
    append_varint(body, value);
  }
  std::string out;
  append_varint(out, body.size());
  return out + body;
}

}  // namespace lento::base::test
