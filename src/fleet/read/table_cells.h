// Reads the cells of a table: numbers as spreadsheets write them, and times in any usual form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/read/unit_text.h"

namespace lento::fleet {

// The decimal sign of a file's numbers. If it is a comma, points group the digits ("1.755,3").
struct NumberForm {
  bool decimal_comma = false;

  // Parses a cell as a number with or without a unit. Returns nullopt for other text.
  std::optional<UnitText> read(std::string_view text) const;
};

// Returns whether a text such as "512,3" is a number only if the comma is the decimal sign.
bool has_decimal_comma(std::string_view text);

// The order of day and month in dates that do not begin with the year.
enum class DateOrder {
  Unknown,
  DayFirst,
  MonthFirst,
};

// A date such as "20/11/2026 08:00", with '/', '.' or '-', in which day and month are not yet distinguished.
struct ShortDate {
  int first = 0;
  int second = 0;
  int year = 0;
  std::string_view rest;  // time of day and zone
  auto operator<=>(const ShortDate& other) const = default;
};
std::optional<ShortDate> short_date(std::string_view text);

// Collects the dates of a column and finds their order: a number above 12 is a day, and of two possible
// orders the one in which days follow each other is right. When all rows are of one day, the distances are
// the same in either order, and the day is assumed to come first.
class DateOrderGuess {
 public:
  void add(std::string_view text);
  bool any() const {
    return !dates_.empty();
  }
  const std::string& example() const {
    return example_;
  }
  // Returns Unknown when both orders are possible and give different distances.
  DateOrder order() const;

 private:
  struct Date {
    int first, second, year;
    auto operator<=>(const Date&) const = default;
  };
  std::string example_;
  std::vector<Date> dates_;  // sorted, distinct; at most 4096
};

// Returns the Unix time in ms of a date with a time of day, or nullopt. A zone's name in brackets after an
// offset is ignored.
std::optional<int64_t> moment_ms(std::string_view text, DateOrder order);

// Returns the number of milliseconds in s, ms, us or ns. Throws base::Error for other units.
double unit_in_ms(std::string_view unit);
// The unit of a time axis that counts steps of a program, each of which is treated as a second.
inline constexpr std::string_view kStepUnit = "step";

}  // namespace lento::fleet
