// Little-endian binary fields. ByteReader reads them with bounds checks and located errors, append_little
// writes them to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace lento::base {

// Reads fields one after another from bytes that it does not own. Reading past the end throws Error
// "truncated" with the offset in the file.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view file)
      : bytes_(bytes),
        file_(file) {
  }

  template <class T>
  T read(std::string_view what) {
    static_assert(std::is_unsigned_v<T>);
    const std::string_view raw = take(sizeof(T), what);
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(uint8_t(raw[i])) << (8 * i)));
    }
    return value;
  }

  // Returns the next `count` bytes. Throws base::Error when fewer are left. `what` names them in the
  // message.
  std::string_view take(uint64_t count, std::string_view what) {
    if (count > bytes_.size() - at_) {
      fail(
          "truncated: " + std::string(what) + " needs " + std::to_string(count) + " bytes, " +
          std::to_string(bytes_.size() - at_) + " are left");
    }
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }

  size_t offset() const {
    return at_;
  }
  size_t left() const {
    return bytes_.size() - at_;
  }

  // Throws Error with `message`, located at the current offset.
  [[noreturn]] void fail(std::string_view message, std::string_view hint = {}) const {
    throw Error({file_, 0, 0, "byte " + std::to_string(at_)}, message, hint);
  }

 private:
  std::string_view bytes_;
  std::string file_;
  size_t at_ = 0;
};

template <class T>
void append_little(std::string& out, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (size_t i = 0; i < sizeof(T); ++i)
    out += char(uint8_t(value >> (8 * i)));
}

}  // namespace lento::base
