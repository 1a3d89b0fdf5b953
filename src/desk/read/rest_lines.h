// Passes the lines of a log that no other format takes to the readers of Shape::Rest. Most of these lines
// come from print statements that hold nothing for a reader. After 64 such lines in a row of one shape
// (rest_lines.cc), a reader gets no more lines of that shape.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

// The base of the readers for lines that no other format takes (formats of Shape::Rest).
class RestReader : public Reader {
 public:
  // Returns whether the prefixes of logs (date, host, program) are removed from every line before row() gets
  // it. Otherwise they are removed only from lines of a system log, because a date in front of others may be
  // data.
  virtual bool takes_log_lines() const = 0;
  // Returns whether the last row held nothing for this reader and does not change the meaning of later rows.
  virtual bool found_nothing() const = 0;
  // Returns whether a word has a meaning for this reader wherever it stands in a line.
  virtual bool has_meaning(std::string_view word) const = 0;
};

// Writes the text with each number replaced by '#' and blanks in a row by one. All lines of one print
// statement give the same text, unless it has words of data.
void write_shape(std::string_view text, std::string& shape);

class RestLines {
 public:
  static constexpr size_t kMostReaders = 4;

  // Uses the first kMostReaders of the readers.
  explicit RestLines(std::vector<RestReader*> readers);
  // Returns whether a reader took the line.
  bool read(std::string_view line, int64_t number, Sink& sink);

 private:
  // For each reader, the number of consecutive lines of one shape in which it found nothing.
  using Misses = std::array<uint8_t, kMostReaders>;
  struct Word {
    uint64_t hash = 0;
    bool has_meaning = false;
  };

  uint64_t shape_of(std::string_view line);
  bool has_meaning(uint64_t hash, std::string_view word);

  std::vector<RestReader*> readers_;
  std::unordered_map<uint64_t, Misses> misses_;  // by shape
  std::vector<Word> words_;                      // the last word of each hash modulo their number
  int64_t lines_ = 0;
  std::string buffer_;
};

}  // namespace lento::desk
