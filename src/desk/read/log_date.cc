// Log libraries write dates with the year first (ISO 8601 and its variants), or in one of a few other forms,
// which are data here:
//
//   Y year  M month  D day of the month  N name of a month  W name of a day  C time of day  U microseconds
//   a blank is one or more blanks, any other character is itself
//
// In "M/D" a number above 12 is the day. A date that does not exist is not accepted.
#include "desk/read/log_date.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/moment.h"
#include "base/number.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 12>
    kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 9>
    kForms{"M/D/Y C", "M/D/Y, C", "M/D/Y-C", "M/D C", "D N Y C", "D N C", "W N D C Y", "N D C Y", "N D C U"};

// Returns whether the first letter is that of a month or a weekday, which rules out most words of a log.
bool begins_name(std::string_view text) {
  constexpr std::string_view kFirst = "JFMASONDTW";
  return !text.empty() && kFirst.find(text[0]) != kFirst.npos;
}

struct DateParts {
  int year = 0;
  int month = 0;
  int day = 0;
  std::string_view clock;
  size_t size = 0;
};

// Reads the number at `at` and moves `at` behind it. Returns 0 when there is none or it has more than `most`
// digits.
int take_figures(std::string_view text, size_t& at, size_t most) {
  const size_t count = digits(text, at);
  const int value = count <= most ? int(base::try_int(text.substr(at, count)).value_or(0)) : 0;
  at += count;
  return value;
}

// Reads one piece of a form at `at` and moves `at` behind it. Returns false when the text does not fit.
bool take_piece(char piece, std::string_view text, size_t& at, DateParts& out) {
  const std::string_view rest = text.substr(at);
  const size_t begin = at;
  switch (piece) {
    case 'Y':
      out.year = take_figures(text, at, 4);
      out.year += out.year < 100 ? 2000 : 0;
      return at - begin == 2 || at - begin == 4;
    case 'U':
      at += digits(text, at);
      return at - begin == 6;
    case 'M':
      return (out.month = take_figures(text, at, 2)) > 0;
    case 'D':
      return (out.day = take_figures(text, at, 2)) > 0;
    case 'N':
      out.month = month_of(rest);
      at += 3;
      return out.month > 0;
    case 'W':
      at += 3;
      return std::ranges::find(kDays, rest.substr(0, 3)) != kDays.end();
    case 'C':
      out.clock = rest.substr(0, clock_size(rest));
      at += out.clock.size();
      return !out.clock.empty();
    case ' ':
      at = std::min(text.find_first_not_of(' ', at), text.size());
      return at > begin;
    default:
      ++at;
      return rest.starts_with(piece);
  }
}

bool take_form(std::string_view form, std::string_view text, DateParts& out) {
  size_t at = 0;
  for (const char piece : form)
    if (at >= text.size() || !take_piece(piece, text, at, out))
      return false;
  if (out.month > 12)
    std::swap(out.month, out.day);
  out.size = at;
  return out.month <= 12 && out.day <= 31;
}

}  // namespace

size_t digits(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9')
    ++end;
  return end - at;
}

size_t iso_date_size(std::string_view text) {
  if (text.size() < 19 || digits(text, 0) != 4 || (text[4] != '-' && text[4] != '/'))
    return 0;
  if ((text[10] != 'T' && text[10] != ' ' && text[10] != ',' && (text[10] != '-' || text[4] != '/')) ||
      text[13] != ':' || text[16] != ':' || digits(text, 17) != 2)
    return 0;
  size_t end = 19;
  if (end < text.size() && (text[end] == '.' || text[end] == ','))
    end += 1 + digits(text, end + 1);
  if (end < text.size() && text[end] == 'Z')
    return end + 1;
  if (end < text.size() && (text[end] == '+' || text[end] == '-')) {
    size_t zone = end + 1 + digits(text, end + 1);
    if (zone < text.size() && text[zone] == ':')
      zone += 1 + digits(text, zone + 1);
    if (zone - end >= 5)
      return zone;
  }
  return end;
}

namespace {

constexpr size_t kDateSize = 10;

// Returns the zone (minutes ahead of UTC) at the end of a date, or Moment::kLocal.
int zone_of(std::string_view text) {
  if (text.ends_with("Z") || text.ends_with("UTC"))
    return 0;
  const size_t sign = text.find_last_of("+-");
  if (sign == text.npos || sign < kDateSize + 1)
    return Moment::kLocal;
  const auto hours = base::try_int(text.substr(sign + 1, 2));
  const std::string_view rest = text.substr(std::min(text.size(), sign + 3));
  const auto minutes = base::try_int(rest.substr(rest.starts_with(":")));
  const int64_t zone = hours.value_or(0) * 60 + minutes.value_or(0);
  return int(text[sign] == '-' ? -zone : zone);
}

}  // namespace

std::optional<Moment> iso_moment(std::string_view text) {
  constexpr size_t kBehindDay = kDateSize;
  std::string plain(text);
  // "2026-11-20,09:00:11", "2026/11/20-09:00:11"
  if (plain.size() > kBehindDay && (plain[kBehindDay] == ',' || plain[kBehindDay] == '-'))
    plain[kBehindDay] = ' ';
  if (const size_t comma = plain.find(','); comma != plain.npos)
    plain[comma] = '.';
  const auto ms = base::try_moment_ms(plain);
  return ms ? std::optional(Moment{Clock::Unix, double(*ms) / 1000, zone_of(plain)}) : std::nullopt;
}

size_t clock_size(std::string_view text) {
  if (text.size() < 8 || digits(text, 0) != 2 || text[2] != ':' || digits(text, 3) != 2 || text[5] != ':' ||
      digits(text, 6) != 2)
    return 0;
  if (text.size() > 8 && text[8] == '.')
    return 9 + digits(text, 9);
  return 8;
}

int month_of(std::string_view text) {
  if (!begins_name(text))
    return 0;
  const auto* const at = std::ranges::find(kMonths, text.substr(0, 3));
  return at == kMonths.end() ? 0 : int(at - kMonths.begin()) + 1;
}

std::optional<Moment> yearless_moment(int month, int day, std::string_view clock) {
  char text[64];
  std::snprintf(text, sizeof text, "1972-%02d-%02d ", month, day);
  const auto ms = base::try_moment_ms(text + std::string(clock));
  return ms ? std::optional(Moment{Clock::Yearless, double(*ms) / 1000, Moment::kLocal}) : std::nullopt;
}

double with_year(double yearless, double newest) {
  const auto date_of = [](double seconds) {
    const auto whole = std::time_t(std::clamp(seconds, 0.0, 1e11));
    std::tm date{};
    gmtime_r(&whole, &date);
    return date;
  };
  constexpr double kDay = 86400;
  const int year = date_of(newest + kDay).tm_year;
  double time = 0;
  for (int years_ago = 1; years_ago >= 0; --years_ago) {
    std::tm date = date_of(yearless);
    date.tm_year = year - years_ago;
    const double candidate = double(timegm(&date)) + (yearless - std::floor(yearless));
    if (years_ago == 1 || candidate <= newest + kDay)
      time = candidate;
  }
  return time;
}

LogDate log_date(std::string_view text) {
  if (const size_t size = iso_date_size(text); size > 0) {
    const auto time = iso_moment(text.substr(0, size));
    return time ? LogDate{size, true, *time} : LogDate{};
  }
  const bool is_figure = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!is_figure && !begins_name(text))
    return {};
  for (const std::string_view form : kForms) {
    DateParts parts;
    if (!take_form(form, text, parts))
      continue;
    char date[64];
    std::snprintf(date, sizeof date, "%04d-%02d-%02d ", parts.year, parts.month, parts.day);
    const auto time = parts.year == 0 ? yearless_moment(parts.month, parts.day, parts.clock)
                                      : iso_moment(date + std::string(parts.clock));
    if (time)
      return {parts.size, false, *time};
  }
  return {};
}

}  // namespace lento::desk
