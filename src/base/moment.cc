// Parses and formats dates. The C library's parser depends on the locale and accepts partial matches, so a
// cursor takes the fields of the grammar in moment.h one by one.
#include "base/moment.h"

#include <chrono>
#include <cstdio>

namespace lento::base {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Cursor {
 public:
  explicit Cursor(std::string_view text)
      : rest_(text) {
  }
  bool empty() const {
    return rest_.empty();
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Takes exactly `digits` digits.
  bool number(size_t digits, int& out) {
    if (rest_.size() < digits)
      return false;
    out = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (!is_digit(rest_[i]))
        return false;
      out = out * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }
  // Takes the digits after a decimal point, in thousandths.
  bool thousandths(int& out) {
    int scale = 100;
    size_t i = 0;
    for (out = 0; i < rest_.size() && is_digit(rest_[i]); ++i) {
      out += scale * (rest_[i] - '0');
      scale /= 10;
    }
    rest_.remove_prefix(i);
    return i > 0;
  }

 private:
  std::string_view rest_;
};

// Parses a date, with the marks 2027-01-31, 2027/01/31 or none.
bool take_day(Cursor& in, std::chrono::year_month_day& day) {
  int y = 0;
  int m = 0;
  int d = 0;
  if (!in.number(4, y))
    return false;
  const std::string_view mark = in.take("-") ? "-" : in.take("/") ? "/" : "";
  if (mark.empty() || !in.number(2, m) || !in.take(mark) || !in.number(2, d))
    return false;
  day = {std::chrono::year(y), std::chrono::month(unsigned(m)), std::chrono::day(unsigned(d))};
  return day.ok() && y >= 1970;
}

// Takes a time zone as the minutes that it is ahead of UTC.
bool take_zone(Cursor& in, int& minutes) {
  minutes = 0;
  in.take(" ");
  if (in.empty() || in.take("Z") || in.take("UTC"))
    return true;
  const bool behind = in.take("-");
  if (!behind && !in.take("+"))
    return false;
  int hour = 0;
  int minute = 0;
  if (!in.number(2, hour) || hour > 14)
    return false;
  if (!in.empty() && (in.take(":"), !in.number(2, minute) || minute > 59))
    return false;
  minutes = (behind ? -1 : 1) * (60 * hour + minute);
  return true;
}

}  // namespace

std::optional<int64_t> try_moment_ms(std::string_view text) {
  Cursor in(text);
  std::chrono::year_month_day day;
  int h = 0;
  int m = 0;
  int s = 0;
  int ms = 0;
  int ahead = 0;
  if (!take_day(in, day) || (!in.take("T") && !in.take(" ")))
    return std::nullopt;
  if (!in.number(2, h) || !in.take(":") || !in.number(2, m) || h > 23 || m > 59)
    return std::nullopt;
  if (in.take(":") && (!in.number(2, s) || s > 60))
    return std::nullopt;
  if (in.take(".") && !in.thousandths(ms))
    return std::nullopt;
  if (!take_zone(in, ahead) || !in.empty())
    return std::nullopt;
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return ((days * 24 + h) * 60 + m - ahead) * 60'000 + s * 1000 + ms;
}

std::string format_moment(double unix_s) {
  const auto seconds = std::chrono::sys_seconds(std::chrono::seconds(int64_t(unix_s)));
  const auto days = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day day(days);
  const std::chrono::hh_mm_ss time(seconds - days);
  char text[64];
  std::snprintf(
      text,
      sizeof text,
      "%04d-%02u-%02u %02d:%02d:%02d",
      int(day.year()),
      unsigned(day.month()),
      unsigned(day.day()),
      int(time.hours().count()),
      int(time.minutes().count()),
      int(time.seconds().count()));
  return text;
}

}  // namespace lento::base
