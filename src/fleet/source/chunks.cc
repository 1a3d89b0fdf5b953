#include "fleet/source/chunks.h"

#include <array>
#include <bit>

namespace lento::fleet {
namespace {

class Bits {
 public:
  explicit Bits(std::string_view bytes)
      : bytes_(bytes) {
  }
  bool ok() const {
    return ok_;
  }

  uint64_t take(unsigned count) {
    uint64_t value = 0;
    for (; count > 0; --count) {
      if (at_ >= bytes_.size() * 8) {
        ok_ = false;
        return 0;
      }
      value = value << 1 | ((uint8_t(bytes_[at_ / 8]) >> (7 - at_ % 8)) & 1);
      ++at_;
    }
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && ok_; shift += 7) {
      const uint64_t byte = take(8);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    ok_ = false;
    return 0;
  }
  int64_t signed_varint() {
    const uint64_t v = varint();
    return int64_t(v >> 1) ^ -int64_t(v & 1);
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

// 0 | 10 + 14 bits | 110 + 17 | 1110 + 20 | 1111 + 64
int64_t delta_of_delta(Bits& in) {
  unsigned ones = 0;
  while (ones < 4 && in.take(1) == 1)
    ++ones;
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

bool next_value(Bits& in, Value& v) {
  if (in.take(1) == 0)
    return in.ok();
  if (in.take(1) == 1) {
    v.leading = unsigned(in.take(5));
    unsigned width = unsigned(in.take(6));
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

bool read_xor_chunk(std::string_view bytes, const std::function<void(int64_t, double)>& sample) {
  if (bytes.size() < 2)
    return false;
  Bits in(bytes);
  const uint64_t count = in.take(16);
  // unsigned: hostile deltas may wrap
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
    sample(int64_t(time), std::bit_cast<double>(value.bits));
  }
  return true;
}

uint32_t crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = crc_table();
  uint32_t c = 0xffffffffu;
  for (const char byte : bytes)
    c = table[(c ^ uint8_t(byte)) & 0xff] ^ (c >> 8);
  return ~c;
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
