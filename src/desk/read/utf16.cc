// Decodes UTF-16 unit by unit: a unit outside the surrogate range is a character, two surrogates form one.
#include "desk/read/utf16.h"

#include <memory>

#include "base/utf8.h"

namespace lento::desk {
namespace {

class Decoder : public Conversion {
 public:
  explicit Decoder(bool is_big)
      : is_big_(is_big) {
  }

  // Adds bytes, two for each code unit. The first unit is the byte order mark, which is no text.
  void add(std::string_view bytes, std::string& out) override {
    for (const char c : bytes) {
      if (!has_byte_) {
        first_ = uint8_t(c);
        has_byte_ = true;
        continue;
      }
      has_byte_ = false;
      const auto second = uint8_t(c);
      if (is_behind_mark_)
        add_unit(is_big_ ? uint32_t(first_ << 8 | second) : uint32_t(second << 8 | first_), out);
      is_behind_mark_ = true;
    }
  }
  void finish(std::string&) override {
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
  bool is_behind_mark_ = false;
  bool has_byte_ = false;
  uint8_t first_ = 0;
  uint32_t high_ = 0;
};

bool is_marked(std::string_view head) {
  return head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff");
}

}  // namespace

LineSource::Read as_utf8(LineSource::Read read) {
  return converted(std::move(read), [](std::string_view head) {
    return is_marked(head) ? std::make_unique<Decoder>(head[0] == '\xfe') : nullptr;
  });
}

std::string head_as_utf8(std::string_view head) {
  std::string out;
  if (is_marked(head))
    Decoder(head[0] == '\xfe').add(head, out);
  else
    out = head;
  return out;
}

}  // namespace lento::desk
