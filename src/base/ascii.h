// Letters of ASCII, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

// Returns the text with its letters A to Z in lower case.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

}  // namespace lento::base
