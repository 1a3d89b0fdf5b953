// Tables as JSON Lines: an object a line, its keys are the columns. What the readers of CSV take as well.
//
//   {"node": "a", "power": {"w": 510}}      columns node and power.w
//
// Columns are the keys of the first kColumnLines objects, in the order in which they come first; a key that
// only later objects have is an error of its record. A key that is absent, and null, are an empty field.
// Numbers keep their value to the last digit, true and false are words, arrays are their JSON. Lines that are
// blank are nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/read_report.h"

namespace lento::base {

class JsonLines {
 public:
  static constexpr size_t kColumnLines = 100;
  static constexpr size_t kMaxBytes = size_t{1} << 20;  // of an object

  // Whether a table that begins with these bytes is JSON Lines: its first character, after a byte order mark
  // and white space, opens an object.
  static bool begins(std::string_view head);

  // Reads the first kColumnLines lines of `in` (fewer where they are long), which must outlive this. Throws
  // Error when the first of them is no object.
  explicit JsonLines(InputStream& in);

  const std::vector<std::string>& columns() const {
    return columns_;
  }
  // The next object's fields in the order of the columns. Lines that are no object, and objects with a key
  // that is no column, are skipped and counted. False at the end.
  bool next(std::vector<std::string>& fields, ReadReport& report);
  int64_t line_number() const {  // of the object last returned, from 1
    return line_number_;
  }

 private:
  struct Line {
    int64_t number;
    std::string text;
  };
  bool next_line(Line& line);
  Json object_of(const Line& line) const;  // null when the line is none or over kMaxBytes
  void learn(const Json& object, const std::string& prefix);
  bool fill(const Json& object, const std::string& prefix, std::vector<std::string>& fields) const;

  InputStream& in_;
  std::deque<Line> ahead_;
  std::vector<std::string> columns_;
  std::map<std::string, size_t, std::less<>> index_;
  int64_t line_number_ = 0;
};

// One object of a line, without line end: the fields by their columns. Texts that are numbers as JSON has
// them are written as numbers, an empty field as null.
std::string json_line(const std::vector<std::string>& columns, const std::vector<std::string>& fields);

}  // namespace lento::base
