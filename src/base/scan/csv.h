// Reads tables of text with a header line (RFC 4180). Fields may be quoted, quotes inside them are doubled,
// and a quoted field may contain line breaks. Either line end and a byte order mark are accepted. The
// delimiter is the most frequent of comma, semicolon, tab and bar in the header outside quotes, and the first
// of these on a tie. A decimal comma is not read as a number. Blanks before a field are dropped. Files may be
// compressed. A table that begins with '{' is read as JSON Lines (base/scan/json_lines.h).
//
//   CsvReader in(path, report);
//   const int time = in.require("time_ms");
//   while (in.next()) use(in.number(time));
//
// A row with another number of fields than the header is skipped and counted in the report. Memory is
// bounded: the reader keeps one row of at most 4096 fields and InputStream::kMaxLine bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/read_report.h"
#include "base/scan/json_lines.h"

namespace lento::base {

class CsvReader {
 public:
  // Reads the header. Throws Error when there is none or a name occurs twice.
  CsvReader(const std::string& path, ReadReport& report);

  const std::vector<std::string>& columns() const {
    return columns_;
  }
  int find(std::string_view column) const;     // -1 when absent
  int require(std::string_view column) const;  // Error with the nearest known name when absent

  bool next();  // the next row with the right number of fields; false at the end
  const std::vector<std::string>& row() const {
    return row_;
  }
  const std::string& text(int column) const {
    return row_[column];
  }
  double number(int column) const;  // Error at the field when it is no finite number
  Location where(int column) const;
  bool is_json_lines() const {
    return objects_ != nullptr;
  }

 private:
  void read_header(const std::string& path);
  bool read_record(std::vector<std::string>& fields);

  InputStream in_;
  ReadReport& report_;
  std::unique_ptr<JsonLines> objects_;
  char delimiter_ = 0;  // 0: the header has not been read
  std::vector<std::string> columns_;
  std::vector<std::string> row_;
  int64_t line_ = 0;  // on which the current row starts
};

// Returns the delimiter of a header line: comma, semicolon, tab or bar.
char csv_delimiter(std::string_view header);

// Writes one field, in quotes when it holds a comma, a quote, a line break or a leading blank.
std::string csv_field(std::string_view text);
// Joins fields by commas, without a line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace lento::base
