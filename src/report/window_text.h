// Formats the time window of a finding: seconds since 1970 as dates, other windows as numbers with their
// unit.
#pragma once

#include <string>

#include "base/moment.h"
#include "base/units.h"
#include "finding/finding.h"

namespace lento::report {

// Returns "from 2026-11-20 08:20:10 to 08:39:50 UTC", "at 2026-11-20 08:20:10 UTC" for a moment, "from 0
// to 73.4 ms" or "from 1000 to 2500 cycles", the numbers with `digits` significant digits.
inline std::string window_text(const finding::TimeWindow& window, int digits) {
  constexpr double kSinceTheClock = 1e9;  // s, September 2001: no recording lasts that long
  constexpr double kLatest = 1e11;        // s, a year of four digits
  if (window.unit != "s" || window.begin < kSinceTheClock || window.end > kLatest) {
    double scale = 1;
    std::string unit = window.unit;
    if (unit == "s" && window.end > 0 && window.end < 1) {
      scale = window.end < 1e-3 ? 1e6 : 1e3;
      unit = window.end < 1e-3 ? "us" : "ms";
    }
    return "from " + base::format_number(window.begin * scale, digits) + " to " +
           base::format_number(window.end * scale, digits) + " " + unit;
  }
  constexpr size_t kDay = 11;  // "2026-11-20 "
  const std::string begin = base::format_moment(window.begin);
  const std::string end = base::format_moment(window.end);
  if (begin == end)
    return "at " + begin + " UTC";
  const bool one_day = begin.substr(0, kDay) == end.substr(0, kDay);
  return "from " + begin + " to " + (one_day ? end.substr(kDay) : end) + " UTC";
}

}  // namespace lento::report
