// Checks names from records. A name is fit to be shown when base::visible leaves it unchanged.
#include "evidence/names.h"

#include <algorithm>

#include "base/visible.h"

namespace lento::evidence {
namespace {

// Returns whether a name would be a path with empty or relative parts.
bool path_like(std::string_view name) {
  constexpr std::string_view kSlashes = "/\\";
  while (true) {
    const size_t end = std::min(name.find_first_of(kSlashes), name.size());
    const std::string_view step = name.substr(0, end);
    if (step.empty() || step == "." || step == "..")
      return true;
    if (end == name.size())
      return false;
    name.remove_prefix(end + 1);
  }
}

// "host:9100" without its port, where an address of colons ("fe80::1") is left as it is.
std::string_view host_of(std::string_view name) {
  const size_t colon = name.find(':');
  const std::string_view port = name.substr(std::min(name.size(), colon + (colon != name.npos)));
  const bool digits = !port.empty() && std::ranges::all_of(port, [](char c) {
    return c >= '0' && c <= '9';
  });
  return colon != name.npos && (digits || port.empty()) ? name.substr(0, colon) : name;
}

}  // namespace

// Returns what is wrong with a name from a record.
NameFault fault_of_name(std::string_view name) {
  if (name.size() > kMostNameBytes)
    return NameFault::TooLong;
  if (host_of(name).find_first_not_of(" \t\r\n") == name.npos)
    return NameFault::Empty;
  if (name.find_first_of("\t\r\n") != name.npos || base::visible(name) != name)
    return NameFault::Control;
  if (path_like(name))
    return NameFault::PathLike;
  return NameFault::None;
}

std::string_view describe(NameFault fault) {
  switch (fault) {
    case NameFault::None:
      return "is a name";
    case NameFault::Empty:
      return "is empty";
    case NameFault::TooLong:
      return "is longer than 255 bytes";
    case NameFault::Control:
      return "holds control characters or bytes that are no text";
    case NameFault::PathLike:
      return "is a path";
  }
  return "";
}

}  // namespace lento::evidence
