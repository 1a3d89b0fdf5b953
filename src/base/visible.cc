// Escapes characters that steer a terminal. File names and log lines are hostile input: an escape sequence in
// them could rewrite the screen, and a change of direction could hide the true text.
#include "base/visible.h"

#include <cstdint>
#include <cstdio>

namespace lento::base {
namespace {

using Byte = unsigned char;

// Returns the length of a UTF-8 sequence by its first byte, or 0 for an invalid one.
size_t length_by_lead(Byte lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC2 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  if (lead >= 0xF0 && lead < 0xF5)
    return 4;
  return 0;
}

// The first character of a text and its length in bytes. A length of 0 means that no valid character starts
// there.
struct Character {
  uint32_t code = 0;
  size_t length = 0;
};

// Returns the first character of the text, or an empty one when it is invalid.
Character first_of(std::string_view text) {
  const Byte lead = static_cast<Byte>(text[0]);
  const size_t length = length_by_lead(lead);
  if (length == 0 || length > text.size())
    return {};
  if (length == 1)
    return {lead, 1};
  uint32_t code = lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const Byte next = static_cast<Byte>(text[i]);
    if ((next & 0xC0) != 0x80)
      return {};
    code = (code << 6) | (next & 0x3Fu);
  }
  return {code, length};
}

// Returns whether a character would steer a terminal or change the direction of text.
bool steers(uint32_t c) {
  if (c == '\n' || c == '\t')
    return false;
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E ||
                         c == 0x200F || c == 0x061C;
  return control || direction;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    if (c.length > 0 && !steers(c.code)) {
      out.append(text.substr(0, c.length));
      text.remove_prefix(c.length);
      continue;
    }
    char shown[12];
    if (c.length <= 1)
      std::snprintf(shown, sizeof shown, "\\x%02x", unsigned(static_cast<Byte>(text[0])));
    else
      std::snprintf(shown, sizeof shown, "\\u%04x", unsigned(c.code));
    out += shown;
    text.remove_prefix(c.length > 1 ? c.length : 1);
  }
  return out;
}

size_t incomplete_tail(std::string_view text) {
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const Byte byte = static_cast<Byte>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80)
      continue;
    if (length_by_lead(byte) > back)
      return back;
    return 0;
  }
  return 0;
}

}  // namespace lento::base
