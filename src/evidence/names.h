// The rule for names of machines, ranks, cores and jobs that come from outside. Readers, hooks, alerts,
// pages and file writers all apply it. A valid name that is used as a file name stays in its folder, so
// paths and URLs are refused. A record with an invalid name is skipped and counted with the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lento::evidence {

enum class NameFault : uint8_t {
  None,
  Empty,     // nothing, or white space alone, or nothing before the port of an address (":9100")
  TooLong,   // over `kMostNameBytes`
  Control,   // control characters, marks that turn the direction of text, bytes that are not UTF-8
  PathLike,  // a step between slashes is empty, "." or ".."
};

constexpr size_t kMostNameBytes = 255;  // of a host name (RFC 1035) and of a file name

NameFault fault_of_name(std::string_view name);
std::string_view describe(NameFault fault);  // "is empty", to follow the word name

}  // namespace lento::evidence
