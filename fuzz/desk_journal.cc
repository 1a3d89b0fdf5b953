// Any bytes as a log whose lines are wrapped in fields, in pieces of any size, and as the output of several
// hosts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "desk/read/host_parts.h"
#include "desk/read/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento::desk;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t at = 0;
  const LineSource::Read read = as_log_lines([&](std::span<char> out) {
    const size_t some = std::min(size - at, out.size());
    std::memcpy(out.data(), data + at, some);
    at += some;
    return some;
  });
  std::string lines;
  char piece[97];
  while (const size_t some = read(piece))
    lines.append(piece, some);
  if (std::ranges::count(lines, '\n') > std::ranges::count(text, '\n') + 2)
    std::abort();  // an entry of several lines stays as long as it is in the file
  head_as_log_lines(text);
  for (const auto& [host, part] : host_parts(lines))
    if (!may_be_host(host))
      std::abort();
  return 0;
}
