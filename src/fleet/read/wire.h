// Reads the wire format of protocol buffers: the fields of a message one after another, without a copy.
//
//   field = varint(number << 3 | type) then, by type, 0: varint, 1: 8 bytes, 2: varint length and bytes,
//           5: 4 bytes
#pragma once

#include <cstdint>
#include <string_view>

namespace lento::fleet {

struct WireField {
  uint64_t number = 0;
  unsigned type = 0;
  uint64_t value = 0;      // set for type 0
  std::string_view bytes;  // set for type 2
};

class Wire {
 public:
  static constexpr unsigned kVarint = 0;
  static constexpr unsigned kBytes = 2;

  explicit Wire(std::string_view message)
      : rest_(message) {
  }

  // Reads the next field. Returns false at the end and for invalid bytes, which ok() distinguishes.
  bool next(WireField& field) {
    if (rest_.empty() || !ok_)
      return false;
    const uint64_t tag = varint();
    field.number = tag >> 3;
    field.type = unsigned(tag & 7);
    if (field.type == kVarint) {
      field.value = varint();
    } else if (field.type == kBytes) {
      field.bytes = take(varint());
    } else if (field.type == 1 || field.type == 5) {
      take(field.type == 1 ? 8 : 4);
    } else {
      ok_ = false;
    }
    return ok_;
  }
  bool ok() const {
    return ok_;
  }
  std::string_view rest() const {
    return rest_;
  }

 private:
  // Decodes an integer of seven bits per byte, lowest first.
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = uint8_t(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view take(uint64_t size) {
    if (size > rest_.size())
      ok_ = false;
    const std::string_view bytes = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace lento::fleet
