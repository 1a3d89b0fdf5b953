// Reads the lines of a file, of a member of an archive or of a text in bounded memory. A carriage return
// without a line feed ends a line too, because progress bars write one after each update.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

// Returns whether the first line of the text has lost its beginning: but for its numbers, it is the end of
// one of the next lines.
bool begins_within_line(std::string_view text);

class LineSource {
 public:
  // Fills the span and returns the number of bytes, which is smaller than the span only at the end.
  using Read = std::function<size_t(std::span<char>)>;

  static constexpr size_t kLongestLine = size_t{1} << 16;  // the rest of a longer line is skipped
  static constexpr size_t kBuffer = size_t{1} << 20;

  explicit LineSource(Read read);
  // Reads the lines of a text, which must outlive the source.
  static LineSource of_text(std::string_view text);

  // Returns the next `size` bytes, at most kBuffer, without consuming them.
  std::string_view peek(size_t size);
  // Reads the next line without its end. It is valid until the next call. Returns false at the end.
  bool line(std::string_view& out);
  int64_t line_number() const {  // of the line last returned, from 1; editors count line feeds
    return number_;
  }
  // Returns whether the last line ended at the end of the source, without a line end.
  bool is_torn() const {
    return is_torn_;
  }
  // Returns whether the line without a line end is, but for its numbers, the beginning of an earlier line.
  // The file was then cut.
  bool is_partial() const {
    return is_partial_;
  }
  // Returns all remaining bytes. Throws base::Error that names `name` when there are more than `most`.
  std::string rest(uint64_t most, const std::string& name);

 private:
  bool refill();

  Read read_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  bool skipping_ = false;
  bool is_torn_ = false;
  bool is_partial_ = false;
  bool is_same_line_ = false;  // the previous line ended with a carriage return
  int64_t number_ = 0;
};

// Converts a text piece by piece.
class Conversion {
 public:
  virtual ~Conversion() = default;
  // Adds the converted form of the next bytes to `out`.
  virtual void add(std::string_view bytes, std::string& out) = 0;
  // Adds what is left at the end of the text.
  virtual void finish(std::string& out) = 0;
};

// Returns a source of the converted bytes of `read`. `choose` gets the first bytes and returns nullptr when
// all bytes are passed on as they are.
LineSource::Read converted(
    LineSource::Read read,
    std::function<std::unique_ptr<Conversion>(std::string_view head)> choose);

}  // namespace lento::desk
