// Files: bounded whole reads, compressed line and block streams, atomic writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lento::base {

// The whole file as bytes, decompressed when it starts with gzip, xz or zstd magic. "-" is standard input.
// Throws Error when it cannot be read, is a directory, is truncated or expands beyond `max_bytes`.
std::string read_file(const std::string& path, uint64_t max_bytes = uint64_t{1} << 30);

// 128-bit content digest as 32 hex digits, for "which input was this": not cryptographic.
class Digest {
 public:
  void add(std::string_view bytes);
  std::string text() const;

 private:
  uint64_t a_ = 0x9ae16a3b2f90404fULL;
  uint64_t b_ = 0xc949c7defebe6463ULL;
  uint64_t size_ = 0;
  std::string rest_;  // bytes that do not fill a word yet
};
std::string digest(std::string_view bytes);

// Sequential reading of a possibly compressed file in bounded memory. "-" is standard input.
class InputStream {
 public:
  explicit InputStream(const std::string& path);
  ~InputStream();
  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;

  // The first `size` bytes that were not taken yet, or all that are left; they stay to be taken. Valid until
  // the next call.
  std::string_view peek(size_t size);

  // From now on what is taken from the file counts into `digest`, which must outlive the stream.
  // Precondition: nothing was taken.
  void count_into(Digest& digest);

  // Fills up to out.size() bytes; fewer only at the end. Throws Error on damage.
  size_t read(std::span<char> out);

  // The next line without its end, valid until the next call; false at the end of input. A line over
  // `max_line` bytes is an Error.
  bool line(std::string_view& out);
  int64_t line_number() const;  // of the line last returned, from 1
  const std::string& path() const;

  static constexpr size_t kMaxLine = size_t{1} << 24;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All that is left of a stream. Throws Error when that is more than `max_bytes`.
std::string read_all(InputStream& in, uint64_t max_bytes);

// Writes a file so that readers see the old content or the whole new one, never half: a temporary beside
// it, then rename. `path` ending in .gz, .xz or .zst compresses. "-" is standard output; when nobody reads
// that any more, the rest is dropped. A symbolic link stays one: what it names is replaced. Devices and named
// pipes are written to as they are. Nothing appears under the path of a file unless commit() returns.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // without commit: the temporary is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

void write_file(const std::string& path, std::string_view bytes);

}  // namespace lento::base
