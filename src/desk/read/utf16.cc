// Decodes UTF-16 unit by unit: a unit outside the surrogate range is a character, two surrogates form one.
#include "desk/read/utf16.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/utf8.h"

namespace lento::desk {
namespace {

class Decoder {
 public:
  explicit Decoder(bool is_big)
      : is_big_(is_big) {
  }

  // Adds bytes, two for each code unit.
  void add(std::string_view bytes, std::string& out) {
    for (const char c : bytes) {
      if (!has_byte_) {
        first_ = uint8_t(c);
        has_byte_ = true;
        continue;
      }
      has_byte_ = false;
      const auto second = uint8_t(c);
      add_unit(is_big_ ? uint32_t(first_ << 8 | second) : uint32_t(second << 8 | first_), out);
    }
  }

 private:
  // Adds a code unit. Two surrogates form one character.
  void add_unit(uint32_t unit, std::string& out) {
    const bool is_low = unit >= 0xdc00 && unit < 0xe000;
    if (high_ != 0 && is_low) {
      base::append_utf8(out, 0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00));
      high_ = 0;
      return;
    }
    if (high_ != 0)
      base::append_utf8(out, 0xfffd);
    high_ = 0;
    if (unit >= 0xd800 && unit < 0xdc00)
      high_ = unit;
    else
      base::append_utf8(out, is_low ? 0xfffd : unit);
  }

  bool is_big_;
  bool has_byte_ = false;
  uint8_t first_ = 0;
  uint32_t high_ = 0;
};

bool is_marked(std::string_view head) {
  return head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");
}

// A source whose first bytes decide how the rest is decoded.
struct Source {
  LineSource::Read read;
  std::unique_ptr<Decoder> decoder;
  std::string ready;  // decoded bytes that were not returned yet
  size_t at = 0;
  bool is_begun = false;
  bool is_plain = false;
  bool is_ended = false;

  // Decodes more bytes into `ready`.
  void refill() {
    constexpr size_t kChunk = size_t{1} << 16;
    std::string bytes(kChunk, '\0');
    bytes.resize(read(bytes));
    is_ended = bytes.size() < kChunk;
    ready.erase(0, at);
    at = 0;
    if (!is_begun && is_marked(bytes))
      decoder = std::make_unique<Decoder>(bytes[0] == '\xfe');
    if (!is_begun)
      is_plain = !decoder;
    if (decoder)
      decoder->add(std::string_view(bytes).substr(is_begun ? 0 : 2), ready);
    else
      ready += bytes;
    is_begun = true;
  }

  size_t operator()(std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      if (at == ready.size()) {
        if (is_plain && !is_ended)  // plain text is passed on without a copy
          return done + read(out.subspan(done));
        if (is_ended)
          break;
        refill();
        continue;
      }
      const size_t size = std::min(ready.size() - at, out.size() - done);
      std::memcpy(out.data() + done, ready.data() + at, size);
      at += size;
      done += size;
    }
    return done;
  }
};

}  // namespace

LineSource::Read as_utf8(LineSource::Read read) {
  auto source = std::make_shared<Source>();
  source->read = std::move(read);
  return [source](std::span<char> out) {
    return (*source)(out);
  };
}

std::string head_as_utf8(std::string_view head) {
  std::string out;
  if (is_marked(head))
    Decoder(head[0] == '\xfe').add(head.substr(2), out);
  else
    out = head;
  return out;
}

}  // namespace lento::desk
