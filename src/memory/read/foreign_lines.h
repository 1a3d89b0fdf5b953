// Helpers of the readers of foreign text traces: hexadecimal numbers, words, and a source that parses one
// record per line.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/number.h"
#include "memory/read/foreign.h"

namespace lento::memory {

inline std::optional<uint64_t> hex_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X"))
    text.remove_prefix(2);
  return base::try_uint(text, 16);
}

// Splits a line into words between blanks, one after another, without a copy.
class WordCursor {
 public:
  explicit WordCursor(std::string_view line)
      : rest_(line) {
  }

  // Returns the next word, which is empty at the end.
  std::string_view next() {
    size_t at = 0;
    while (at < rest_.size() && is_blank(rest_[at]))
      ++at;
    size_t end = at;
    while (end < rest_.size() && !is_blank(rest_[end]))
      ++end;
    const std::string_view word = rest_.substr(at, end - at);
    rest_.remove_prefix(end);
    return word;
  }
  std::string_view rest() const {
    return rest_;
  }

 private:
  static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
  }
  std::string_view rest_;
};

inline std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  WordCursor cursor(line);
  for (std::string_view word = cursor.next(); !word.empty(); word = cursor.next())
    out.push_back(word);
  return out;
}

// Reads lines and lets `parse` turn each into a record. Blank lines and lines that begin with '#' are passed
// over.
class LineSource : public BatchSource {
 public:
  LineSource(const std::string& path, base::ReadReport& report)
      : in_(path),
        report_(report) {
  }

 protected:
  void fill(std::vector<AccessRecord>& out) override {
    std::string_view line;
    while (out.size() < kBatch && in_.line(line)) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#')
        continue;
      AccessRecord r;
      const char* reason = parse(line, r);
      if (reason == nullptr) {
        ++report_.taken;
        out.push_back(r);
      } else if (*reason != '\0') {
        report_.skip({in_.path(), int(in_.line_number())}, reason);
      }
    }
  }
  // Returns nullptr when the line is a record, "" when it holds none by design, else the reason to skip it.
  virtual const char* parse(std::string_view line, AccessRecord& r) = 0;

 private:
  base::InputStream in_;
  base::ReadReport& report_;
};

}  // namespace lento::memory
