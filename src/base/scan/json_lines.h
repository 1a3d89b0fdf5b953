// Reads and writes tables as JSON Lines: every line is an object, and its keys are the columns. CsvReader
// accepts them in place of CSV.
//
//   {"node": "a", "power": {"w": 510}}      columns node and power.w
//
// Columns are the keys of the first kColumnLines objects, in order of first occurrence. A later object with
// another key is skipped and counted. An absent key and null are an empty field. Numbers keep their value to
// the last digit, true and false are words, and arrays are their JSON text. Blank lines are ignored.
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

  // True when the first character after a byte order mark and white space opens an object.
  static bool begins(std::string_view head);

  // Reads the first kColumnLines lines of `in` (fewer where they are long), which must outlive this reader.
  // Throws Error when the first line is no object.
  explicit JsonLines(InputStream& in);

  const std::vector<std::string>& columns() const {
    return columns_;
  }
  // Returns the fields of the next object in the order of the columns, or false at the end. Lines that are no
  // object, and objects with a key that is no column, are skipped and counted.
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
  Json parse_object(const Line& line) const;  // null when the line is none or over kMaxBytes
  void add_columns(const Json& object, const std::string& prefix);
  bool set_fields(const Json& object, const std::string& prefix, std::vector<std::string>& fields) const;

  InputStream& in_;
  std::deque<Line> ahead_;
  std::vector<std::string> columns_;
  std::map<std::string, size_t, std::less<>> index_;
  int64_t line_number_ = 0;
};

// Writes one object without a line end. A text that is a JSON number is written as a number, an empty field
// as null.
std::string json_line(const std::vector<std::string>& columns, const std::vector<std::string>& fields);

}  // namespace lento::base
