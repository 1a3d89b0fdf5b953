// Parses words of maps files, which come from perf, the kernel and our own recorder in slightly different
// forms.
#include "program/maps_words.h"

#include "base/number.h"

namespace lento::program {

std::optional<uint64_t> hex_of(std::string_view text) {
  if (text.starts_with("0x"))
    text.remove_prefix(2);
  return base::try_uint(text, 16);
}

std::string plain_field(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n')
      c = ' ';
  }
  return text;
}

}  // namespace lento::program
