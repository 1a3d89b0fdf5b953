// Members of a zip archive one after the other, without its directory at the end, so that it may come from a
// pipe and is read in bounded memory. Reads stored and deflated members, also of unknown size (data
// descriptors) and beyond 4 GiB.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lento::base {

class ZipReader {
 public:
  // Fills the span and returns the number of bytes, fewer only at the end.
  using Read = std::function<size_t(std::span<char>)>;

  // Whether these first bytes begin an archive.
  static bool begins(std::string_view head);

  // `path` is named in errors.
  ZipReader(Read read, std::string path);
  ~ZipReader();

  // Goes to the next file, false at the end of the archive. The unread rest of the previous file is skipped.
  // Throws Error when a header is broken, a member is encrypted or packed by another method, or the archive
  // ends.
  bool next();
  const std::string& name() const;
  // Fills the span with bytes of the member, fewer only at its end.
  size_t read(std::span<char> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lento::base
