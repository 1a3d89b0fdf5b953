// Members of a tar archive one after the other, without unpacking it: people bring a folder of logs home as
// one file. Reads ustar, pax (path) and GNU (long names) archives; compressed ones are decompressed by base.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace lento::desk {

class TarReader {
 public:
  using Read = std::function<size_t(std::span<char>)>;

  // Whether these first bytes begin an archive: the sum of the header's bytes is right.
  static bool begins(std::string_view head);

  TarReader(Read read, std::string path);

  // Goes to the next regular file, false at the end. What was not read of the one before is skipped. Throws
  // base::Error when a header is broken or the archive ends within a member.
  bool next();
  const std::string& name() const {
    return name_;
  }
  // Fills the span with bytes of the member, fewer only at its end.
  size_t read(std::span<char> out);

 private:
  bool header(std::span<char> block);
  std::string small_member();
  void skip(uint64_t bytes);

  Read read_;
  std::string path_;
  std::string name_;
  std::string long_name_;
  uint64_t left_ = 0;
  uint64_t padding_ = 0;
};

}  // namespace lento::desk
