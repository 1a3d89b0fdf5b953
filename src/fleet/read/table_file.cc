// Splits files into rows. Fields are views of the line, and only quoted ones are copied, because tables of
// fleets hold tens of millions of numbers. The first rows are kept, so that the columns can be typed before
// any value is used, and standard input needs no second pass.
#include "fleet/read/table_file.h"

#include <algorithm>

#include "base/scan/csv.h"
#include "base/utf8.h"

namespace lento::fleet {
namespace {

constexpr size_t kMaxColumns = 1u << 16;
constexpr uint64_t kMostUtf16 = uint64_t{512} << 20;  // such files are decoded as a whole

// Removes blanks around a field, because some exporters separate fields with ", ".
std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

// Reads a quoted field of `line` from `i`, just after the opening quote. Returns false when no quote closes
// it.
bool take_quoted_field(std::string_view line, size_t& i, std::string& text) {
  for (;; ++i) {
    if (i >= line.size())
      return false;
    if (line[i] == '"') {
      if (i + 1 >= line.size() || line[i + 1] != '"')
        break;
      ++i;
    }
    text += line[i];
  }
  ++i;
  return true;
}

// Splits `line` into views, of `scratch` for quoted fields. Returns false when a quote is not closed.
bool split(
    std::string_view line,
    char delimiter,
    std::vector<std::string_view>& fields,
    std::vector<std::string>& scratch) {
  fields.clear();
  scratch.clear();
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  scratch.reserve(size_t(std::ranges::count(line, '"')) / 2 + 1);  // growth would invalidate views
  size_t i = 0;
  for (;;) {
    if (i < line.size() && line[i] == '"') {
      std::string& text = scratch.emplace_back();
      ++i;
      if (!take_quoted_field(line, i, text) || (i < line.size() && line[i] != delimiter))
        return false;
      fields.push_back(text);
    } else {
      const size_t end = std::min(line.find(delimiter, i), line.size());
      fields.push_back(without_blanks(line.substr(i, end - i)));
      i = end;
    }
    if (fields.size() > kMaxColumns)
      return false;
    if (i >= line.size())
      return true;
    ++i;  // the delimiter
    if (i == line.size()) {
      fields.emplace_back();
      return true;
    }
  }
}

// Converts UTF-16 that begins with a byte order mark to UTF-8. Unpaired surrogates become U+FFFD.
std::string from_utf16(std::string_view bytes) {
  const bool little = bytes[0] == '\xff';
  const auto unit = [&](size_t at) {
    const auto low = uint32_t(static_cast<unsigned char>(bytes[at + (little ? 0 : 1)]));
    const auto high = uint32_t(static_cast<unsigned char>(bytes[at + (little ? 1 : 0)]));
    return high << 8 | low;
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (size_t at = 2; at + 1 < bytes.size(); at += 2) {
    uint32_t code = unit(at);
    const bool leads = code >= 0xd800 && code < 0xdc00;
    const uint32_t trail = leads && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (trail >= 0xdc00 && trail < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (trail - 0xdc00);
      at += 2;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;
    }
    base::append_utf8(out, code);
  }
  return out;
}

}  // namespace

TableFile::TableFile(const std::string& path, const std::string& shown_as)
    : in_(path),
      where_{shown_as} {
  constexpr size_t kLooked = 256;
  const std::string_view head = in_.peek(kLooked);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    decoded_ = from_utf16(base::read_all(in_, kMostUtf16));
  if (decoded_.empty() && base::JsonLines::begins(head))
    header_ = objects_.emplace(in_).columns();
  else
    read_header();
  where_.line = 1;
  if (header_.size() > kMaxColumns)
    throw base::Error(where_, "the records have more than 65,536 keys");
}

// Reads the next line.
bool TableFile::line(std::string_view& out) {
  if (decoded_.empty()) {
    const bool any = in_.line(out);
    where_.line = int(std::min<int64_t>(in_.line_number(), INT32_MAX));
    return any;
  }
  if (decoded_at_ >= decoded_.size())
    return false;
  const size_t end = std::min(decoded_.find('\n', decoded_at_), decoded_.size());
  out = std::string_view(decoded_).substr(decoded_at_, end - decoded_at_);
  decoded_at_ = end + 1;
  where_.line = int(std::min<int64_t>(++decoded_line_, INT32_MAX));
  return true;
}

// Reads the header and finds the delimiter.
void TableFile::read_header() {
  std::string_view text;
  std::vector<std::string_view> fields;
  if (!line(text)) {
    where_.line = 0;
    throw base::Error(where_, "the file is empty, a header line is needed");
  }
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  delimiter_ = base::csv_delimiter(text);
  if (!split(text, delimiter_, fields, scratch_))
    throw base::Error({where_.file, 1}, "the header is not a CSV line");
  header_.assign(fields.begin(), fields.end());
}

bool TableFile::read(std::vector<std::string_view>& fields, base::ReadReport& report) {
  if (objects_) {
    if (!objects_->next(scratch_, report))
      return false;
    where_.line = int(std::min<int64_t>(objects_->line_number(), INT32_MAX));
    fields.assign(scratch_.begin(), scratch_.end());
    return true;
  }
  std::string_view text;
  while (line(text)) {
    if (text.empty() || text == "\r")
      continue;
    // A quoted field may not span lines. The lines after an open quote, up to the closing one, are skipped.
    const bool rest = open_quote_ && std::ranges::count(text, '"') % 2 == 1;
    open_quote_ = !rest && !split(text, delimiter_, fields, scratch_);
    if (open_quote_)
      report.skip(where_, "a quote is not closed");
    else if (rest)
      report.skip(where_, "the rest of a quoted field");
    else if (fields.size() != header_.size())
      report.skip(where_, "wrong number of fields");
    else
      return true;
  }
  return false;
}

// Reads the first rows, from which the layout of the table is guessed.
const std::vector<std::vector<std::string>>& TableFile::sample(base::ReadReport& report) {
  std::vector<std::string_view> fields;
  size_t bytes = 0;
  while (sample_.size() < kSampleRows && bytes < kSampleBytes && read(fields, report)) {
    for (const std::string_view field : fields)
      bytes += field.size() + sizeof(std::string);
    sample_.emplace_back(fields.begin(), fields.end());
    sample_lines_.push_back(where_.line);
  }
  return sample_;
}

bool TableFile::next(std::vector<std::string_view>& fields, base::ReadReport& report) {
  if (replayed_ == sample_.size()) {
    if (replayed_ > 0) {
      sample_ = {};
      sample_lines_ = {};
      replayed_ = 0;
    }
    return read(fields, report);
  }
  fields.assign(sample_[replayed_].begin(), sample_[replayed_].end());
  where_.line = sample_lines_[replayed_++];
  return true;
}

}  // namespace lento::fleet
