// Scans JSON without building values. Traces of profilers have gigabytes, of which a reader needs a few
// fields. Brackets and quotes decide where a value ends, and inside a string only the quote and the backslash
// count, so most characters are passed by memchr or one table lookup.
#include "base/scan/json_scan.h"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/utf8.h"

namespace lento::base {
namespace {

constexpr size_t kEnd = std::string_view::npos;

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at]))
    ++at;
  return at;
}

// Returns the index after the closing quote of the string whose first character is text[at].
size_t string_end(std::string_view text, size_t at) {
  while (at < text.size()) {
    const void* found = std::memchr(text.data() + at, '"', text.size() - at);
    if (!found)
      return kEnd;
    const size_t quote = static_cast<const char*>(found) - text.data();
    // A quote is escaped when an odd number of backslashes precedes it.
    size_t slash = quote;
    while (slash > at && text[slash - 1] == '\\')
      --slash;
    if ((quote - slash) % 2 == 0)
      return quote + 1;
    at = quote + 1;
  }
  return kEnd;
}

// The effect of a character on the depth of a value.
enum : uint8_t {
  kPlain,
  kQuote,
  kOpen,
  kClose
};
constexpr std::array<uint8_t, 256> kRole = [] {
  std::array<uint8_t, 256> role{};
  role['"'] = kQuote;
  role['{'] = role['['] = kOpen;
  role['}'] = role[']'] = kClose;
  return role;
}();

// Returns the end of the object or array that begins before `at`.
size_t nested_end(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const uint8_t role = kRole[uint8_t(text[at])];
    ++at;
    if (role == kPlain)
      continue;
    if (role == kQuote) {
      at = string_end(text, at);
      if (at == kEnd)
        return kEnd;
    } else if (role == kOpen) {
      ++depth;
    } else if (--depth == 0) {
      return at;
    }
  }
  return kEnd;
}

bool ends_plain(char c) {
  return c == ',' || c == '}' || c == ']' || c == ':' || is_space(c);
}

}  // namespace

size_t json_value_end(std::string_view text, size_t at) {
  if (at >= text.size())
    return kEnd;
  const char c = text[at];
  if (c == '"')
    return string_end(text, at + 1);
  if (c == '{' || c == '[')
    return nested_end(text, at);
  size_t end = at;
  while (end < text.size() && !ends_plain(text[end]))
    ++end;
  return end == at ? kEnd : end;
}

JsonMembers::JsonMembers(std::string_view object)
    : text_(object) {
  at_ = skip_space(text_, 0);
  damaged_ = at_ >= text_.size() || text_[at_] != '{';
  ++at_;
}

bool JsonMembers::next() {
  if (damaged_)
    return false;
  at_ = skip_space(text_, at_);
  if (at_ < text_.size() && text_[at_] == ',')
    at_ = skip_space(text_, at_ + 1);
  if (at_ < text_.size() && text_[at_] == '}')
    return false;
  damaged_ = true;
  if (at_ >= text_.size() || text_[at_] != '"')
    return false;
  const size_t key_end = string_end(text_, at_ + 1);
  if (key_end == kEnd)
    return false;
  key_ = text_.substr(at_ + 1, key_end - at_ - 2);
  at_ = skip_space(text_, key_end);
  if (at_ >= text_.size() || text_[at_] != ':')
    return false;
  at_ = skip_space(text_, at_ + 1);
  const size_t end = json_value_end(text_, at_);
  if (end == kEnd)
    return false;
  value_ = text_.substr(at_, end - at_);
  at_ = end;
  damaged_ = false;
  return true;
}

JsonElements::JsonElements(std::string_view array)
    : text_(array) {
  at_ = skip_space(text_, 0);
  if (at_ >= text_.size() || text_[at_] != '[')
    text_ = {};
  ++at_;
}

bool JsonElements::next() {
  at_ = skip_space(text_, at_);
  if (at_ < text_.size() && text_[at_] == ',')
    at_ = skip_space(text_, at_ + 1);
  if (at_ >= text_.size() || text_[at_] == ']')
    return false;
  const size_t end = json_value_end(text_, at_);
  if (end == kEnd)
    return false;
  value_ = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool json_is_string(std::string_view value) {
  return value.size() >= 2 && value.front() == '"';
}

std::string_view json_inside(std::string_view value) {
  if (json_is_string(value))
    return value.substr(1, value.size() - 2);
  return std::string_view();
}

namespace {

// The code unit of four hexadecimal digits from `at`, or nothing.
std::optional<uint32_t> code_unit(std::string_view text, size_t at) {
  uint32_t unit = 0;
  const char* begin = text.data() + std::min(at, text.size());
  const char* end = text.data() + std::min(at + 4, text.size());
  const auto [last, error] = std::from_chars(begin, end, unit, 16);
  return error == std::errc() && last == begin + 4 ? std::optional(unit) : std::nullopt;
}

// Appends the character of the escape whose `u` is at `at`, or U+FFFD where it is none. Two units of a pair
// are one character. Returns the place of the escape's last character.
size_t append_escaped(std::string_view text, size_t at, std::string& out) {
  constexpr uint32_t kNone = 0xfffd;
  const std::optional<uint32_t> first = code_unit(text, at + 1);
  uint32_t code = first.value_or(kNone);
  size_t last = first ? at + 4 : at;
  if (code >= 0xd800 && code < 0xe000) {
    const bool pair = code < 0xdc00 && text.substr(std::min(last + 1, text.size()), 2) == "\\u";
    const uint32_t second = pair ? code_unit(text, last + 3).value_or(0) : 0;
    const bool whole = second >= 0xdc00 && second < 0xe000;
    code = whole ? 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00) : kNone;
    last += whole ? 6 : 0;
  }
  append_utf8(out, code);
  return last;
}

}  // namespace

std::string json_text(std::string_view value) {
  if (!json_is_string(value))
    return std::string(value);
  const std::string_view inside = json_inside(value);
  if (inside.find('\\') == kEnd)
    return std::string(inside);
  std::string out;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    const char c = inside[++i];
    constexpr std::string_view kLetters = "bfnrt";
    if (const size_t letter = kLetters.find(c); letter != kEnd) {
      out += "\b\f\n\r\t"[letter];
    } else if (c == 'u') {
      i = append_escaped(inside, i, out);
    } else {
      out += c;
    }
  }
  return out;
}

int64_t json_int(std::string_view value, int64_t otherwise) {
  if (json_is_string(value))
    value = json_inside(value);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end == value.data())
    return otherwise;
  if (end == value.data() + value.size())
    return number;
  const double real = json_double(value, double(otherwise));
  if (real > -9e18 && real < 9e18)
    return int64_t(real);
  return otherwise;
}

// Returns a number, also one written as a string, or `otherwise`.
double json_double(std::string_view value, double otherwise) {
  if (json_is_string(value))
    value = json_inside(value);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (whole && number - number == 0)
    return number;
  return otherwise;
}

bool json_micros(std::string_view value, int64_t& ns) {
  if (json_is_string(value))
    value = json_inside(value);
  constexpr int64_t kMost = int64_t{4} << 60;  // nanoseconds, the year 2116
  int64_t whole = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, whole);
  if (error != std::errc() || whole > kMost / 1000 || whole < -(kMost / 1000))
    return false;
  const bool exponent = value.find_first_of("eE") != kEnd;
  if (exponent) {
    const double micros = json_double(value, -1);
    if (micros < 0 || micros > double(kMost / 1000))
      return false;
    ns = int64_t(micros * 1000);
    return true;
  }
  ns = whole * 1000;
  if (end == last)
    return true;
  if (*end != '.')
    return false;
  int64_t part = 0;
  int64_t unit = 100;
  for (const char* c = end + 1; c != last; ++c) {
    if (*c < '0' || *c > '9')
      return false;
    part += unit * (*c - '0');
    unit /= 10;
  }
  ns += value.front() == '-' ? -part : part;
  return true;
}

std::vector<int32_t> json_ranks(std::string_view list, bool& complete) {
  std::vector<int32_t> ranks;
  complete = false;
  if (json_is_string(list))
    list = json_inside(list);
  if (list.size() < 2 || list.front() != '[' || list.back() != ']')
    return ranks;
  complete = true;
  for (size_t at = 1; at + 1 < list.size();) {
    if (list[at] == ' ' || list[at] == ',') {
      ++at;
      continue;
    }
    int32_t rank = 0;
    const auto [end, error] = std::from_chars(list.data() + at, list.data() + list.size() - 1, rank);
    if (error != std::errc()) {
      complete = false;
      break;
    }
    ranks.push_back(rank);
    at = end - list.data();
  }
  return ranks;
}

JsonStream::JsonStream(const std::string& path)
    : in_(path) {
}

void JsonStream::fail(const std::string& what) {
  throw base::Error({in_.path()}, what + " at byte " + std::to_string(position()));
}

// Drops the consumed bytes and reads more. Returns false at the end of the file.
bool JsonStream::refill() {
  if (ended_)
    return false;
  buffer_.erase(0, at_);
  taken_ += at_;
  at_ = 0;
  const size_t old = buffer_.size();
  if (old > kMostValue)
    fail("a value of over 64 MiB");
  // The buffer at least doubles, so that a long value is scanned a constant number of times.
  const size_t more = std::max(size_t{1} << 20, old);
  buffer_.resize(old + more);
  const size_t got = in_.read({buffer_.data() + old, more});
  buffer_.resize(old + got);
  if (got < more)
    ended_ = true;
  return got > 0;
}

char JsonStream::peek() {
  for (;;) {
    at_ = skip_space(buffer_, at_);
    if (at_ < buffer_.size())
      return buffer_[at_];
    if (!refill())
      return 0;
  }
}

bool JsonStream::take(char c) {
  if (peek() != c)
    return false;
  ++at_;
  return true;
}

void JsonStream::expect(char c) {
  const char found = peek();
  cut_ = found == 0;
  if (cut_)
    fail("the JSON text ends early");
  if (found != c)
    fail(std::string("'") + c + "' expected, found '" + found + "'");
  ++at_;
}

std::string_view JsonStream::value() {
  cut_ = peek() == 0;
  if (cut_)
    fail("the JSON text ends early");
  size_t end = json_value_end(buffer_, at_);
  // A number at the end of the buffer may continue in the next block.
  while (end == kEnd || end == buffer_.size()) {
    if (!refill())
      break;
    end = json_value_end(buffer_, at_);
  }
  cut_ = end == kEnd && ended_ && !ends_plain(buffer_[at_]);
  if (end == kEnd)
    fail(ended_ ? "the JSON text ends inside a value" : "no value begins");
  const std::string_view found = std::string_view(buffer_).substr(at_, end - at_);
  at_ = end;
  return found;
}

void JsonStream::skip() {
  const char first = peek();
  if (first != '{' && first != '[') {
    value();
    return;
  }
  const char close = first == '{' ? '}' : ']';
  ++at_;
  while (!take(close)) {
    if (take(',') || take(':'))
      continue;
    value();
  }
}

}  // namespace lento::base
