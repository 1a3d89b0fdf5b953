// Dates and times at the beginning of log lines.
#pragma once

#include <optional>
#include <string_view>

#include "desk/read/observation.h"

namespace lento::desk {

// A date with its time of day. `size` is its length in the text, and 0 without a date.
struct LogDate {
  size_t size = 0;
  bool is_iso = false;  // the year first
  Moment time;
};
LogDate log_date(std::string_view text);

// Returns the number of digits from `at` on.
size_t digits(std::string_view text, size_t at);
// Returns the length of "2026-10-02T11:08:25.123+02:00" and its variants at the beginning, or 0.
size_t iso_date_size(std::string_view text);
std::optional<Moment> iso_moment(std::string_view text);
// Returns the length of "11:08:25.123" at the beginning, or 0.
size_t clock_size(std::string_view text);
// Returns 1 to 12 for "Jan" to "Dec" at the beginning, or 0.
int month_of(std::string_view text);
// Returns a time without a year, in seconds from the beginning of a leap year.
std::optional<Moment> yearless_moment(int month, int day, std::string_view clock);
// Returns the latest Unix time (s) with the month, day and time of a yearless moment that is at most a day
// after `newest`, a Unix time (s).
double with_year(double yearless, double newest);

}  // namespace lento::desk
