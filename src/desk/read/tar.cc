// An archive is blocks of 512 bytes: a header, the member's bytes filled up to a whole block, and so on; two
// blocks of zeros end it (POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU tar's type L).
//
//   header = name[100] mode[8] uid[8] gid[8] size[12] mtime[12] checksum[8] type[1] link[100] "ustar" ...
//   prefix[155]
#include "desk/read/tar.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/number.h"

namespace lento::desk {
namespace {

constexpr size_t kBlock = 512;
constexpr uint64_t kMostName = 64 << 10;  // longest name, or size of pax records

std::string_view text_field(std::string_view header, size_t at, size_t size) {
  const std::string_view field = header.substr(at, size);
  return field.substr(0, field.find('\0'));
}

// Returns the octal number in a field, or nothing.
std::optional<uint64_t> octal(std::string_view header, size_t at, size_t size) {
  std::string_view field = text_field(header, at, size);
  while (!field.empty() && field.front() == ' ')
    field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ')
    field.remove_suffix(1);
  return field.empty() ? std::optional<uint64_t>(0) : base::try_uint(field, 8);
}

// Returns the checksum of a header, with its checksum field counted as blanks.
uint64_t sum_of(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i)
    sum += i >= 148 && i < 156 ? ' ' : uint8_t(header[i]);
  return sum;
}

// Returns the path in pax records: "LENGTH path=NAME\n".
std::string pax_path(std::string_view records) {
  const size_t at = records.find(" path=");
  if (at == records.npos)
    return "";
  const std::string_view value = records.substr(at + 6);
  return std::string(value.substr(0, value.find('\n')));
}

}  // namespace

bool TarReader::begins(std::string_view head) {
  if (head.size() < kBlock || head[0] == '\0')
    return false;
  const auto sum = octal(head, 148, 8);
  return sum && *sum == sum_of(head) && octal(head, 124, 12);
}

TarReader::TarReader(Read read, std::string path)
    : read_(std::move(read)),
      path_(std::move(path)) {
}

// Reads the header of the next file. Returns false at the end.
bool TarReader::header(std::span<char> block) {
  const size_t got = read_(block);
  if (got == 0)
    return false;
  const std::string_view text(block.data(), got);
  if (got == kBlock && text.find_first_not_of('\0') == text.npos)
    return false;
  if (got < kBlock || !begins(text))
    throw base::Error({path_}, "is an archive with a broken header", "make it again with tar -czf");
  left_ = *octal(text, 124, 12);
  padding_ = (kBlock - left_ % kBlock) % kBlock;
  return true;
}

void TarReader::skip(uint64_t bytes) {
  std::array<char, 8192> waste;
  while (bytes > 0) {
    const size_t want = size_t(std::min<uint64_t>(bytes, waste.size()));
    if (read_(std::span(waste).first(want)) < want)
      throw base::Error({path_}, "is an archive that ends within a file", "copy it again");
    bytes -= want;
  }
}

std::string TarReader::small_member() {
  std::string text(size_t(std::min(left_, kMostName)), '\0');
  if (read(text) < text.size())
    throw base::Error({path_}, "is an archive that ends within a file", "copy it again");
  return text;
}

bool TarReader::next() {
  std::array<char, kBlock> block;
  while (true) {
    skip(left_ + padding_);
    left_ = padding_ = 0;
    if (!header(block))
      return false;
    const std::string_view text(block.data(), kBlock);
    const char type = text[156];
    if (type == 'L') {
      long_name_ = small_member();
      long_name_ = long_name_.substr(0, long_name_.find('\0'));
    } else if (type == 'x') {
      long_name_ = pax_path(small_member());
    } else if (type == '0' || type == '\0') {
      const std::string_view prefix = text.substr(257, 5) == "ustar" ? text_field(text, 345, 155) : "";
      name_ = std::string(prefix) + (prefix.empty() ? "" : "/") + std::string(text_field(text, 0, 100));
      if (!long_name_.empty())
        name_ = std::exchange(long_name_, {});
      return true;
    } else {
      long_name_.clear();
    }
  }
}

size_t TarReader::read(std::span<char> out) {
  const size_t want = size_t(std::min<uint64_t>(out.size(), left_));
  const size_t got = read_(out.first(want));
  left_ -= got;
  if (got < want)
    throw base::Error({path_}, "is an archive that ends within a file", "copy it again");
  return got;
}

}  // namespace lento::desk
