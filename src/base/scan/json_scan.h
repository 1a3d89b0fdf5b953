// Scans JSON text of which little is needed: profiler traces of gigabytes, logs of collectives.
//
// Values stay views of the text, and nothing is built. Only the values that the caller reads are checked, and
// a damaged value is skipped as far as its brackets and quotes allow. base::Json is for everything small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace lento::base {

// Returns the index after the value that begins at text[at], or npos when none begins there or the text ends
// inside it.
size_t json_value_end(std::string_view text, size_t at);

// Iterates over the members of an object, and JsonElements over the elements of an array.
//   for (JsonMembers m(object); m.next();) use(m.key(), m.value());
class JsonMembers {
 public:
  explicit JsonMembers(std::string_view object);
  bool next();  // false at the end or at damage
  std::string_view key() const {
    return key_;
  }  // without quotes, escapes as written
  std::string_view value() const {
    return value_;
  }  // as written
  bool damaged() const {
    return damaged_;
  }

 private:
  std::string_view text_;
  std::string_view key_;
  std::string_view value_;
  size_t at_ = 0;
  bool damaged_ = false;
};

class JsonElements {
 public:
  explicit JsonElements(std::string_view array);
  bool next();
  std::string_view value() const {
    return value_;
  }

 private:
  std::string_view text_;
  std::string_view value_;
  size_t at_ = 0;
};

bool json_is_string(std::string_view value);
std::string json_text(std::string_view value);  // a string without quotes and escapes; others as written
std::string_view json_inside(std::string_view value);         // a string's characters as written, else empty
int64_t json_int(std::string_view value, int64_t otherwise);  // also of "12", and of 12.0
double json_double(std::string_view value, double otherwise);
// Converts microseconds with up to three decimals to nanoseconds, exactly. Returns false when the value is no
// number in range.
bool json_micros(std::string_view value, int64_t& ns);
// Parses "[0, 1, 2]". `complete` is false when the list holds anything else, such as the "..." of a cut list.
std::vector<int32_t> json_ranks(std::string_view list, bool& complete);

// Reads the values of a file of any length in sequence, each of at most kMostValue bytes.
class JsonStream {
 public:
  static constexpr size_t kMostValue = size_t{64} << 20;

  explicit JsonStream(const std::string& path);
  char peek();               // the next character that is no space; 0 at the end
  void expect(char c);       // takes it, or throws base::Error
  bool take(char c);         // takes it if it comes next
  std::string_view value();  // the next value, valid until the next call; throws base::Error when damaged
  void skip();               // the next value, of any length
  // Whether the last error was that the text ends where more is needed, and not that it is damaged.
  bool cut() const {
    return cut_;
  }
  uint64_t position() const {
    return taken_ + at_;
  }
  const std::string& path() const {
    return in_.path();
  }

 private:
  bool refill();
  [[noreturn]] void fail(const std::string& what);

  base::InputStream in_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t taken_ = 0;
  bool ended_ = false;
  bool cut_ = false;
};

}  // namespace lento::base
