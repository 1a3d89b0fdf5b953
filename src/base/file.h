// Files: bounded reads of whole files, compressed streams of lines or blocks, atomic writes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lento::base {

// Returns the whole file as bytes, decompressed when it starts with the magic of gzip, xz or zstd. "-" is
// standard input. Throws Error when it cannot be read, is a directory, is truncated or expands beyond
// `max_bytes`.
std::string read_file(const std::string& path, uint64_t max_bytes = uint64_t{1} << 30);

// A 128-bit digest of content as 32 hex digits. It identifies an input and is not cryptographic.
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

// Reads a possibly compressed file in sequence and in bounded memory. "-" is standard input.
class InputStream {
 public:
  explicit InputStream(const std::string& path);
  ~InputStream();
  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;

  // Returns the next `size` bytes, or all that are left, without consuming them. The view is valid until the
  // next call.
  std::string_view peek(size_t size);

  // Adds all bytes that are read from now on to `digest`, which must outlive the stream. Precondition:
  // nothing was read before.
  void count_into(Digest& digest);

  // Fills `out` and returns the number of bytes, which is smaller than out.size() only at the end. Throws
  // Error on damaged data.
  size_t read(std::span<char> out);

  // Returns the next line without its end, valid until the next call, or false at the end of input. Throws
  // Error when a line is longer than kMaxLine bytes.
  bool line(std::string_view& out);
  int64_t line_number() const;  // of the line last returned, from 1
  const std::string& path() const;

  static constexpr size_t kMaxLine = size_t{1} << 24;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns all that is left of a stream. Throws Error when that is more than `max_bytes`.
std::string read_all(InputStream& in, uint64_t max_bytes);

// Writes a file atomically: readers find the old content or the whole new one. The bytes go to a temporary
// file beside it, which commit() renames, so nothing appears under `path` before that. A `path` ending in
// .gz, .xz or .zst compresses. "-" is standard output, where the rest is dropped once the reader has closed
// the pipe. A symbolic link is kept and its target is replaced. Devices and named pipes are written directly.
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
