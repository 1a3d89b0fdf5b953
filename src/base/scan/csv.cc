// Reads and writes tables of text. Metrics come from many tools, so the reader finds the delimiter itself and
// accepts quoted fields that span several lines. It works line by line and keeps one record, which bounds
// memory for files of any size. Grammar: RFC 4180.
#include "base/scan/csv.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/number.h"

namespace lento::base {
namespace {

constexpr size_t kMaxFields = 4096;

// Appends the fields of one physical line to `fields`. `quoted` is true while a quoted field is open, on
// entry and on return.
//   line  = field *(delimiter field)
//   field = *any-but-delimiter-and-quote / DQUOTE *(any-but-quote / DQUOTE DQUOTE) DQUOTE
void split(std::string_view line, char delimiter, std::vector<std::string>& fields, bool& quoted) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += line[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == delimiter) {
      fields.emplace_back();
    } else if (c == ' ' && fields.back().empty()) {
      continue;  // "a, b"
    } else if (c != '\r' || i + 1 < line.size()) {
      fields.back() += c;
    }
  }
}

}  // namespace

CsvReader::CsvReader(const std::string& path, ReadReport& report)
    : in_(path),
      report_(report) {
  constexpr size_t kLooked = 256;
  if (JsonLines::begins(in_.peek(kLooked))) {
    objects_ = std::make_unique<JsonLines>(in_);
    columns_ = objects_->columns();
    if (columns_.size() > kMaxFields)
      throw Error({path, 1}, "the objects have more than 4096 keys");
    return;
  }
  read_header(path);
}

void CsvReader::read_header(const std::string& path) {
  if (!read_record(columns_)) {
    throw Error({path}, "the table is empty", "its first line must name the columns");
  }
  if (columns_[0].starts_with("\xEF\xBB\xBF"))
    columns_[0].erase(0, 3);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (std::find(columns_.begin(), columns_.begin() + i, columns_[i]) != columns_.begin() + i) {
      throw Error({path, 1}, "column '" + columns_[i] + "' occurs twice");
    }
  }
}

// Reads the next record. A quoted field may contain line ends. Returns false at the end.
bool CsvReader::read_record(std::vector<std::string>& fields) {
  std::string_view line;
  do {
    if (!in_.line(line))
      return false;
  } while (line.empty() || line == "\r");
  line_ = in_.line_number();
  if (delimiter_ == 0)
    delimiter_ = csv_delimiter(line);
  fields.assign(1, {});
  bool quoted = false;
  size_t bytes = 0;
  for (;;) {
    split(line, delimiter_, fields, quoted);
    bytes += line.size();
    if (fields.size() > kMaxFields || bytes > InputStream::kMaxLine) {
      throw Error(
          {in_.path(), int(line_)},
          "the row is too large",
          "at most 4096 fields and 16 MiB a row; is a quote left open?");
    }
    if (!quoted)
      return true;
    if (!in_.line(line)) {
      throw Error({in_.path(), int(line_)}, "a quoted field is not closed", "add the missing '\"'");
    }
    fields.back() += '\n';
  }
}

int CsvReader::find(std::string_view column) const {
  const auto at = std::ranges::find(columns_, column);
  if (at == columns_.end())
    return -1;
  return int(at - columns_.begin());
}

int CsvReader::require(std::string_view column) const {
  const int at = find(column);
  if (at < 0) {
    throw Error(
        {in_.path(), 1},
        "there is no column '" + std::string(column) + "'",
        suggestion(column, columns_));
  }
  return at;
}

bool CsvReader::next() {
  if (objects_) {
    if (!objects_->next(row_, report_))
      return false;
    line_ = objects_->line_number();
    ++report_.taken;
    return true;
  }
  while (read_record(row_)) {
    if (row_.size() == columns_.size()) {
      ++report_.taken;
      return true;
    }
    report_.skip({in_.path(), int(line_)}, "row with another number of fields than the header");
  }
  return false;
}

Location CsvReader::where(int column) const {
  Location at{in_.path(), int(line_)};
  if (column >= 0)
    at.path = columns_[column];
  return at;
}

double CsvReader::number(int column) const {
  return parse_double(row_[column], where(column));
}

char csv_delimiter(std::string_view header) {
  constexpr std::string_view kKnown = ",;\t|";
  std::array<size_t, kKnown.size()> count{};
  bool quoted = false;
  for (const char c : header) {
    if (c == '"')
      quoted = !quoted;
    const size_t which = kKnown.find(c);
    if (!quoted && which != std::string_view::npos)
      ++count[which];
  }
  return kKnown[size_t(std::ranges::max_element(count) - count.begin())];
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(' '))
    return std::string(text);
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i)
    out += (i ? "," : "") + csv_field(fields[i]);
  return out;
}

}  // namespace lento::base
