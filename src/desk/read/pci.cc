// Parses [domain ":"] bus ":" device ["." function] and formats it with four digits of domain, in lower
// case.
#include "desk/read/pci.h"

#include <cstdio>
#include <vector>

#include "base/number.h"

namespace lento::desk {

std::string pci_device(std::string_view text) {
  const std::string same(text);
  if (text.starts_with("PCI:"))
    text.remove_prefix(4);
  uint64_t function = 0;
  if (const size_t dot = text.find('.'); dot != text.npos) {
    const auto number = base::try_uint(text.substr(dot + 1), 16);
    if (!number || *number > 7)
      return same;
    function = *number;
    text = text.substr(0, dot);
  }
  std::vector<uint64_t> parts;
  while (parts.size() < 4) {
    const size_t colon = text.find(':');
    const auto number = base::try_uint(text.substr(0, colon), 16);
    if (!number)
      return same;
    parts.push_back(*number);
    if (colon == text.npos)
      break;
    text.remove_prefix(colon + 1);
  }
  if (parts.size() == 2)
    parts.insert(parts.begin(), 0);
  if (parts.size() != 3 || parts[0] > 0xffffffff || parts[1] > 0xff || parts[2] > 0x1f)
    return same;
  char out[32];
  std::snprintf(
      out,
      sizeof out,
      "%04x:%02x:%02x.%x",
      unsigned(parts[0]),
      unsigned(parts[1]),
      unsigned(parts[2]),
      unsigned(function));
  return out;
}

}  // namespace lento::desk
