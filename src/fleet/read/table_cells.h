// Reads the cells of a table: a number as an office writes it, a time in any usual form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/read/unit_text.h"

namespace lento::fleet {

// Numbers of a file have one decimal sign. With a comma, points group the digits ("1.755,3").
struct NumberForm {
  bool decimal_comma = false;

  // The cell as a bare number or one with a unit. nullopt for other text.
  std::optional<UnitText> read(std::string_view text) const;
};

// "512,3": a number only where a comma is the decimal sign.
bool has_decimal_comma(std::string_view text);

// The order of day and month in dates that do not begin with the year.
enum class DateOrder {
  Unknown,
  DayFirst,
  MonthFirst,
};

// The first two numbers of "20/11/2026 08:00" and its year, with '/', '.' or '-' between them.
struct ShortDate {
  int first = 0;
  int second = 0;
  int year = 0;
  std::string_view rest;  // time of day and zone
  auto operator<=>(const ShortDate& other) const = default;
};
std::optional<ShortDate> short_date(std::string_view text);

// Collects the dates of a column and concludes their order: a number above 12 is a day, and of two readings
// the one in which day follows day is meant. Where all rows are of one day, either reading gives the same
// distances, and the day comes first.
class DateOrderGuess {
 public:
  void add(std::string_view text);
  bool any() const {
    return !dates_.empty();
  }
  const std::string& example() const {
    return example_;
  }
  // Unknown when both readings are possible and differ.
  DateOrder order() const;

 private:
  struct Date {
    int first, second, year;
    auto operator<=>(const Date&) const = default;
  };
  std::string example_;
  std::vector<Date> dates_;  // sorted, distinct; at most 4096
};

// Milliseconds since 1970 of a date with a time of day; a zone in brackets behind an offset is dropped.
std::optional<int64_t> moment_ms(std::string_view text, DateOrder order);

// Milliseconds in a unit of time: s, ms, us or ns. Throws base::Error for others.
double unit_in_ms(std::string_view unit);
// The unit of a time axis that counts steps of a program, each of which stands for a second.
inline constexpr std::string_view kStepUnit = "step";

}  // namespace lento::fleet
