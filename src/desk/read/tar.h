// Reads the members of a tar archive one after another without unpacking it, because users collect a folder
// of logs in one file. Supports ustar, pax (path) and GNU (long names). Compressed archives are decompressed
// by base.
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

  // Returns whether these bytes begin an archive, by the header's checksum.
  static bool begins(std::string_view head);

  TarReader(Read read, std::string path);

  // Goes to the next regular file and skips the unread rest of the current one. Returns false at the end.
  // Throws base::Error when a header is damaged or the archive ends within a member.
  bool next();
  const std::string& name() const {
    return name_;
  }
  // Reads bytes of the current member into the span, fewer than the span only at the end.
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
