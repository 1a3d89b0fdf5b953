// Any bytes as a zip or tar archive, or as text in UTF-16: every member is unpacked in bounded memory and its
// beginning is recognised.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/zip.h"
#include "desk/formats/formats.h"
#include "desk/read/line_source.h"
#include "desk/read/log_file.h"
#include "desk/read/tar.h"
#include "desk/read/utf16.h"

namespace {

constexpr int kMostMembers = 16;

template <class Archive>
void read_members(Archive archive) {
  static const lento::desk::LogReader reader(lento::desk::all_formats());
  std::string head(size_t{1} << 12, 0);
  for (int i = 0; i < kMostMembers && archive.next(); ++i) {
    const size_t size = archive.read(head);
    reader.recognise(std::string_view(head).substr(0, size));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t at = 0;
  const auto read = [&](std::span<char> out) {
    const size_t count = std::min(out.size(), text.size() - at);
    std::copy_n(text.data() + at, count, out.data());
    at += count;
    return count;
  };
  try {
    if (lento::desk::TarReader::begins(text)) {
      read_members(lento::desk::TarReader(read, "input"));
    } else if (lento::base::ZipReader::begins(text)) {
      read_members(lento::base::ZipReader(read, "input"));
    } else {
      lento::desk::LineSource lines(lento::desk::as_utf8(read));
      for (std::string_view line; lines.line(line);) {
      }
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
