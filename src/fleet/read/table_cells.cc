// Reads the cells of tables as spreadsheets, exporters and databases write them. Decimal signs and the order
// of day and month are properties of a file, because one cell alone may be read in two ways.
#include "fleet/read/table_cells.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/error.h"
#include "base/moment.h"
#include "base/number.h"

namespace lento::fleet {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Removes up to `most` digits (exactly four for 4) from the front of `text` and returns their number, or -1.
int take_digits(std::string_view& text, size_t most) {
  size_t n = 0;
  int value = 0;
  while (n < text.size() && n < most && is_digit(text[n]))
    value = value * 10 + (text[n++] - '0');
  if (n == 0 || (most == 4 && n < 4))
    return -1;
  text.remove_prefix(n);
  return value;
}

// Returns a text with a decimal point instead of a comma: "1755.3 W" for "1.755,3 W".
std::string with_point(std::string_view text) {
  std::string out;
  bool decimals = false;
  for (const char c : text) {
    if (c == '.' && !decimals)
      continue;
    decimals = decimals || c == ',';
    out += c == ',' ? '.' : c;
  }
  return out;
}

int64_t days_of(int year, int month, int day) {
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d 00:00", year, month, day);
  const auto ms = base::try_moment_ms(text);
  return ms ? *ms / 86'400'000 : INT64_MIN;
}

}  // namespace

std::optional<UnitText> NumberForm::read(std::string_view text) const {
  std::string changed;
  if (decimal_comma && text.find(',') != std::string_view::npos)
    text = changed = with_point(text);
  if (const auto bare = base::try_double(text))
    return UnitText{*bare, ""};
  return unit_text(text);
}

bool has_decimal_comma(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma == 0 || comma == std::string_view::npos || comma + 1 >= text.size())
    return false;
  return is_digit(text[comma - 1]) && is_digit(text[comma + 1]) && text.find(',', comma + 1) == text.npos &&
         NumberForm{true}.read(text).has_value();
}

// Parses a date such as 31/01/2026, in which day and month may be exchanged.
std::optional<ShortDate> short_date(std::string_view text) {
  ShortDate date;
  date.first = take_digits(text, 2);
  if (date.first < 1 || text.empty() || (text[0] != '/' && text[0] != '.' && text[0] != '-'))
    return std::nullopt;
  const char between = text[0];
  text.remove_prefix(1);
  date.second = take_digits(text, 2);
  if (date.second < 1 || text.empty() || text[0] != between)
    return std::nullopt;
  text.remove_prefix(1);
  date.year = take_digits(text, 4);
  if (date.year < 0)
    return std::nullopt;
  while (text.starts_with(',') || text.starts_with(' ') || text.starts_with('T'))
    text.remove_prefix(1);
  date.rest = text;
  return date;
}

void DateOrderGuess::add(std::string_view text) {
  constexpr size_t kMost = 4096;
  const auto date = short_date(text);
  if (!date)
    return;
  if (example_.empty())
    example_ = text;
  const Date key{date->first, date->second, date->year};
  const auto at = std::ranges::lower_bound(dates_, key);
  if ((at == dates_.end() || *at != key) && dates_.size() < kMost)
    dates_.insert(at, key);
}

DateOrder DateOrderGuess::order() const {
  if (dates_.empty())
    return DateOrder::Unknown;
  const auto days_apart = [&](bool day_first) {
    std::vector<int64_t> days;
    for (const Date& d : dates_)
      days.push_back(day_first ? days_of(d.year, d.second, d.first) : days_of(d.year, d.first, d.second));
    std::ranges::sort(days);
    int64_t most = 0;
    if (days.front() == INT64_MIN)
      return INT64_MAX;  // in this order a date is impossible
    for (size_t i = 1; i < days.size(); ++i)
      most = std::max(most, days[i] - days[i - 1]);
    return most;
  };
  const int64_t day_first = days_apart(true);
  const int64_t month_first = days_apart(false);
  if (day_first == INT64_MAX || month_first == INT64_MAX)
    return day_first == month_first   ? DateOrder::Unknown
           : month_first == INT64_MAX ? DateOrder::DayFirst
                                      : DateOrder::MonthFirst;
  if (day_first <= 1)
    return month_first <= 1 && dates_.size() > 1 ? DateOrder::Unknown : DateOrder::DayFirst;
  return month_first <= 1 ? DateOrder::MonthFirst : DateOrder::Unknown;
}

std::optional<int64_t> moment_ms(std::string_view text, DateOrder order) {
  if (text.ends_with(']') && text.find('[') != text.npos)
    text = text.substr(0, text.find('['));
  const auto date = short_date(text);
  if (!date)
    return base::try_moment_ms(text);
  if (order == DateOrder::Unknown)
    return std::nullopt;
  const bool day_first = order == DateOrder::DayFirst;
  char head[40];
  std::snprintf(
      head,
      sizeof head,
      "%04d-%02d-%02d ",
      date->year,
      day_first ? date->second : date->first,
      day_first ? date->first : date->second);
  return base::try_moment_ms(head + std::string(date->rest));
}

double unit_in_ms(std::string_view unit) {
  if (unit == "s" || unit == kStepUnit)
    return 1000;
  if (unit == "ms")
    return 1;
  if (unit == "us")
    return 0.001;
  if (unit == "ns")
    return 1e-6;
  throw base::Error({}, "time unit '" + std::string(unit) + "' is not known", "use s, ms, us, ns or step");
}

}  // namespace lento::fleet
