// Passes the lines of a log that no other format takes to the readers of Shape::Rest. Most of these lines
// come from print statements that hold nothing for a reader, and differ in their numbers only. After 64 such
// lines in a row of one shape (rest_lines.cc), a reader gets no more lines of that shape.
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
};

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

  using Table = std::unordered_map<size_t, Misses>;
  static Misses* kept_of(Table& table, size_t shape, size_t most);

  std::vector<RestReader*> readers_;
  Table misses_;      // by shape
  Table by_numbers_;  // by the words beside numbers, of lines whose shape found no room
  Misses none_{};     // of a shape beyond the most that are kept
  std::string buffer_;
};

}  // namespace lento::desk
