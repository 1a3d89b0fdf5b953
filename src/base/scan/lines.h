// Reads text in place, line by line.
#pragma once

#include <algorithm>
#include <string_view>

namespace lento::base {

// Removes the first line from the text and returns it without '\n'. A '\r' stays with the line.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

// Removes the first line from the text and returns it without "\n" or "\r\n".
inline std::string_view take_text_line(std::string_view& text) {
  std::string_view line = take_line(text);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

}  // namespace lento::base
