// Tables of text with a header line (RFC 4180): quoted fields, doubled quotes, line breaks inside quotes,
// either line end, an optional byte order mark. Fields are separated by whichever of comma, semicolon, tab
// and bar the header holds most of, outside quotes; the first of these when none stands out. A decimal comma
// is no number. Blanks before a field are dropped. Compressed files as everywhere. A table that begins with
// '{' is read as JSON Lines (base/json_lines.h).
//
//   CsvReader in(path, report);
//   const int time = in.require("time_ms");
//   while (in.next()) use(in.number(time));
//
// A row with another number of fields than the header is skipped and counted in the report. Bounded memory:
// one row at a time, at most 4096 fields and InputStream::kMaxLine bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/json_lines.h"
#include "base/read_report.h"

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

// Which of comma, semicolon, tab and bar separates the fields of this header.
char csv_delimiter(std::string_view header);

// One field as it must be written: quoted when it holds a comma, a quote or a line break.
std::string csv_field(std::string_view text);
// Fields joined by commas, without line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace lento::base
