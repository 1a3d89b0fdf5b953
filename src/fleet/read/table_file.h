// Reads the rows of a table: CSV with any delimiter or JSON Lines, in UTF-8, or UTF-16 with a byte order
// mark.
//
//   file  = line { "\n" line }        line = field { delimiter field }
//   field = { char - (delimiter, '"') } | '"' { char - '"' | '""' } '"'
//
// A quoted field may not hold a line end. The header shows the delimiter (base/scan/csv.h). A text that
// begins with '{' is JSON Lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/read_report.h"
#include "base/scan/json_lines.h"

namespace lento::fleet {

class TableFile {
 public:
  // Reads the header. Messages show `shown_as` instead of the path. Throws base::Error without a header.
  TableFile(const std::string& path, const std::string& shown_as);

  const std::vector<std::string>& header() const {
    return header_;
  }
  bool is_json_lines() const {
    return objects_.has_value();
  }
  // Reads the next row with as many fields as the header, valid until the next call. Returns false at the
  // end. Other rows are skipped and counted.
  bool next(std::vector<std::string_view>& fields, base::ReadReport& report);
  const base::Location& where() const {
    return where_;
  }

  // Returns the first rows, up to kSampleRows or kSampleBytes. next() returns them again, without counting
  // skipped rows twice.
  static constexpr size_t kSampleRows = 4096;
  static constexpr size_t kSampleBytes = size_t{4} << 20;
  const std::vector<std::vector<std::string>>& sample(base::ReadReport& report);

 private:
  void read_header();
  bool line(std::string_view& out);
  bool read(std::vector<std::string_view>& fields, base::ReadReport& report);

  base::InputStream in_;
  base::Location where_;
  std::optional<base::JsonLines> objects_;
  std::string decoded_;  // the text of a file in UTF-16
  size_t decoded_at_ = 0;
  int64_t decoded_line_ = 0;
  char delimiter_ = ',';
  bool open_quote_ = false;  // the previous line left a quote open
  std::vector<std::string> header_;
  std::vector<std::string> scratch_;
  std::vector<std::vector<std::string>> sample_;
  std::vector<int> sample_lines_;
  size_t replayed_ = 0;
};

}  // namespace lento::fleet
