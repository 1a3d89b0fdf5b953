// Parses a budget of false alarms. Users think of alarms per month, the scan needs a count and a period in
// seconds.
//
//   budget = number [ "/" ( "month" | "week" | "day" ) ]
#include "fleet/scan/budget_text.h"

#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/number.h"

namespace lento::fleet {
namespace {

constexpr double kDay_s = 86400;

struct Period {
  std::string_view name;
  double days;
};
constexpr std::array kPeriods{Period{"day", 1}, Period{"week", 7}, Period{"month", 30}};

[[noreturn]] void refuse(const std::string& text) {
  throw base::Error(
      {"--false-alarms"},
      "'" + text.substr(0, 40) + "' is no budget of false alarms",
      "write 1/month, 1/week, 1/day, or a number a day over zero");
}

}  // namespace

ScanBudget parse_budget(const std::string& text) {
  const size_t slash = text.find('/');
  const std::string_view number = std::string_view(text).substr(0, slash);
  const std::optional<double> count = base::try_double(number);
  if (!count || *count <= 0)
    refuse(text);
  if (slash == std::string::npos)
    return {*count, kDay_s};
  for (const Period& p : kPeriods) {
    if (std::string_view(text).substr(slash + 1) == p.name)
      return {*count, p.days * kDay_s};
  }
  refuse(text);
}

double alarms_per_day(const ScanBudget& budget) {
  return budget.false_alarms * kDay_s / budget.period_s;
}

}  // namespace lento::fleet
