// Passes the lines of a log that no format fits to the readers of Shape::Rest. Most of these lines repeat a
// statement that holds nothing for a reader, with other numbers. After enough such lines of one shape, the
// reader gets no more of them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

// The base of the readers that formats of Shape::Rest make.
class RestReader : public Reader {
 public:
  // Returns whether its rows lose the dates of logs, as lines that match a form do.
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
  using Misses = std::array<uint8_t, kMostReaders>;  // in a row, by reader

  using Table = std::unordered_map<size_t, Misses>;
  static Misses* kept_of(Table& table, size_t shape, size_t most);

  std::vector<RestReader*> readers_;
  Table misses_;      // by shape
  Table by_numbers_;  // by the words beside numbers, of lines whose shape found no room
  Misses none_{};     // of a shape beyond the most that are kept
  std::string buffer_;
};

}  // namespace lento::desk
