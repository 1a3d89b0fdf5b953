// Decodes the XOR chunks of Prometheus bit by bit and splits a streamed answer into frames. Counts and widths
// come from the store, so every read is bounded, and decoding a damaged chunk stops at the damage. Source:
// Gorilla (Pelkonen et al., VLDB 2015) and Prometheus' tsdb/chunkenc. Cost: a few operations per sample. The
// check sum uses the instruction of the processor where there is one.
#include "fleet/read/chunks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace lento::fleet {
namespace {

// Reads the bits of a chunk, the highest bit of each byte first. Reads past the end return zeros, after which
// ok() returns false.
class Bits {
 public:
  explicit Bits(std::string_view bytes)
      : bytes_(bytes),
        size_(bytes.size() * 8) {
  }
  bool ok() const {
    return at_ <= size_;
  }

  // Returns at least the next 57 bits, highest first, without consuming them.
  uint64_t peek() const {
    const size_t byte = at_ / 8;
    uint64_t word = 0;
    if (byte + sizeof word <= bytes_.size()) {
      std::memcpy(&word, bytes_.data() + byte, sizeof word);
      if constexpr (std::endian::native == std::endian::little)
        word = __builtin_bswap64(word);
    } else {
      for (size_t i = byte; i < byte + sizeof word; ++i)
        word = word << 8 | (i < bytes_.size() ? uint8_t(bytes_[i]) : 0u);
    }
    return word << at_ % 8;
  }
  void skip(unsigned count) {
    at_ += count;
  }
  // Takes `count` bits, 1 to 57.
  uint64_t take_few(unsigned count) {
    const uint64_t value = peek() >> (64 - count);
    skip(count);
    return value;
  }
  // Returns the next `count` bits.
  uint64_t take(unsigned count) {
    if (count == 0)
      return 0;
    if (count <= 57)
      return take_few(count);
    const uint64_t high = take_few(count - 32);
    return high << 32 | take_few(32);
  }
  // Decodes an integer of seven bits per byte, lowest first.
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && ok(); shift += 7) {
      const uint64_t byte = take_few(8);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    at_ = size_ + 1;
    return 0;
  }
  int64_t signed_varint() {
    const uint64_t v = varint();
    return int64_t(v >> 1) ^ -int64_t(v & 1);
  }

 private:
  std::string_view bytes_;
  size_t size_;
  size_t at_ = 0;
};

// Reads the difference of two time deltas: 0 | 10 + 14 bits | 110 + 17 | 1110 + 20 | 1111 + 64.
int64_t delta_of_delta(Bits& in) {
  const auto ones = std::min(4u, unsigned(std::countl_one(in.peek())));
  in.skip(ones < 4 ? ones + 1 : 4);
  constexpr std::array<unsigned, 5> widths{0, 14, 17, 20, 64};
  const unsigned width = widths[ones];
  const uint64_t raw = in.take(width);
  if (width == 0 || width == 64)
    return int64_t(raw);
  const int64_t value = int64_t(raw);
  return raw > (uint64_t{1} << (width - 1)) ? value - (int64_t{1} << width) : value;
}

struct Value {
  uint64_t bits = 0;
  unsigned leading = 0;
  unsigned trailing = 0;
};

// Decodes the next value of a Prometheus chunk. Returns false at the end.
bool next_value(Bits& in, Value& v) {
  const uint64_t head = in.peek();
  if (head >> 63 == 0) {
    in.skip(1);
    return in.ok();
  }
  if (head >> 62 == 0b10) {
    in.skip(2);
  } else {
    v.leading = unsigned(head >> 57 & 31);
    unsigned width = unsigned(head >> 51 & 63);
    in.skip(13);
    if (width == 0)
      width = 64;
    if (v.leading + width > 64)
      return false;
    v.trailing = 64 - v.leading - width;
  }
  const unsigned width = 64 - v.leading - v.trailing;
  const uint64_t x = in.take(width);
  v.bits ^= v.trailing < 64 ? x << v.trailing : 0;
  return in.ok();
}

// Returns the table for CRC-32C, byte by byte.
std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k)
      c = c & 1 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

}  // namespace

bool read_xor_chunk(
    std::string_view bytes,
    const std::function<void(int64_t, double)>& sample,
    int64_t from_ms) {
  if (bytes.size() < 2)
    return false;
  Bits in(bytes);
  const uint64_t count = in.take(16);
  // Unsigned, because hostile deltas may wrap.
  uint64_t time = 0;
  uint64_t delta = 0;
  Value value;
  for (uint64_t i = 0; i < count; ++i) {
    if (i == 0) {
      time = uint64_t(in.signed_varint());
      value.bits = in.take(64);
    } else {
      if (i == 1) {
        delta = in.varint();
      } else {
        delta += uint64_t(delta_of_delta(in));
      }
      time += delta;
      if (!in.ok() || !next_value(in, value))
        return false;
    }
    if (!in.ok())
      return false;
    if (int64_t(time) >= from_ms)
      sample(int64_t(time), std::bit_cast<double>(value.bits));
  }
  return true;
}

namespace {

uint32_t crc32c_by_table(std::string_view bytes, uint32_t c) {
  static const std::array<uint32_t, 256> table = crc_table();
  for (const char byte : bytes)
    c = table[(c ^ uint8_t(byte)) & 0xff] ^ (c >> 8);
  return c;
}

#if defined(__x86_64__)
// Computes CRC-32C by the processor's instruction, eight bytes at once.
__attribute__((target("sse4.2"))) uint32_t crc32c_by_instruction(std::string_view bytes, uint32_t c) {
  uint64_t wide = c;
  while (bytes.size() >= sizeof wide) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
    bytes.remove_prefix(sizeof wide);
  }
  c = uint32_t(wide);
  for (const char byte : bytes)
    c = __builtin_ia32_crc32qi(c, uint8_t(byte));
  return c;
}
#endif

}  // namespace

// Returns the CRC-32C of the bytes, by instruction where the processor has one.
uint32_t crc32c(std::string_view bytes) {
  constexpr uint32_t kAll = 0xffffffffu;
#if defined(__x86_64__)
  static const bool instruction = __builtin_cpu_supports("sse4.2");
  if (instruction)
    return ~crc32c_by_instruction(bytes, kAll);
#endif
  return ~crc32c_by_table(bytes, kAll);
}

std::string_view read_frames(std::string_view body, const std::function<void(std::string_view)>& frame) {
  while (!body.empty()) {
    uint64_t length = 0;
    unsigned shift = 0;
    size_t at = 0;
    for (;; shift += 7) {
      if (at >= body.size() || shift > 56)
        return "a frame's length is cut short or too large";
      const uint8_t byte = uint8_t(body[at++]);
      length |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        break;
    }
    body.remove_prefix(at);
    if (body.size() < 4 || length > body.size() - 4)
      return "the last frame is cut short";
    uint32_t expected = 0;
    for (int i = 0; i < 4; ++i)
      expected = expected << 8 | uint8_t(body[size_t(i)]);
    const std::string_view payload = body.substr(4, length);
    if (crc32c(payload) != expected)
      return "a frame does not match its checksum";
    frame(payload);
    body.remove_prefix(4 + length);
  }
  return "";
}

}  // namespace lento::fleet
