// Texts for both the findings on machines and those on the job.
#pragma once

#include <string>

#include "base/moment.h"
#include "base/units.h"
#include "fleet/scan/notes.h"

namespace lento::fleet {

inline constexpr const char* kOneMachine =
    "Drain the machine and run its node checks; compare the metrics above with a healthy peer.";
inline constexpr const char* kNoLabel =
    "Look at what these machines share (switch, rack, image, role) before the machines.";

// Returns a text such as "+12 %" for a ratio of 1.12.
inline std::string change_percent(double ratio) {
  return (ratio > 1 ? "+" : "") + base::format_number(100 * (ratio - 1), 3) + " %";
}

// Returns a text such as "1230 s", "2026-11-20 09:05:00 UTC" or "step 40".
inline std::string text_of_time(const View& v, double seconds) {
  constexpr double kUnix = 1e9;  // no record is thirty years long
  if (seconds >= kUnix)
    return base::format_moment(seconds) + " UTC";
  const std::string text = base::format_number(seconds, 13);
  return v.series.by_step ? "step " + text : text + " s";
}

inline std::string clock_text(const View& v, size_t step) {
  return text_of_time(v, seconds(v.series.time_ms(step)));
}

inline const char* unit_of_time(const View& v) {
  return v.series.by_step ? "steps" : "s";
}

inline std::string value_text(double value) {
  return base::format_measure(value, "");
}

}  // namespace lento::fleet
