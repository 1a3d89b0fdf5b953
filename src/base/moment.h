// Converts dates with a time of day, as logs and dashboards write them, to milliseconds and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lento::base {

// Returns milliseconds since 1970 of a date with a time of day, year first (ISO 8601 and its common
// variants):
//   moment = year ("-"|"/") month ("-"|"/") day ("T"|" ") hour ":" minute [":" second ["." digits]] [zone]
//   zone   = [" "] ("Z" | "UTC" | ("+"|"-") hour [[":"] minute])
// A text without a zone is UTC. Digits beyond milliseconds are cut. Returns nullopt for any other text and
// for days that do not exist.
std::optional<int64_t> try_moment_ms(std::string_view text);

// Returns "2026-01-31 23:59:59", rounded down to a second. Precondition: not before 1970.
std::string format_moment(double unix_s);

}  // namespace lento::base
