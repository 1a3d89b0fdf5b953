// Moments as tables of logs and dashboards write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lento::base {

// Milliseconds since 1970 of a date with a time of day, year first (ISO 8601 and what is near it):
//   moment = year ("-"|"/") month ("-"|"/") day ("T"|" ") hour ":" minute [":" second ["." digits]] [zone]
//   zone   = [" "] ("Z" | "UTC" | ("+"|"-") hour [[":"] minute])
// Without a zone it is taken for UTC. Digits beyond milliseconds are cut. nullopt: anything else, and days
// that do not exist.
std::optional<int64_t> try_moment_ms(std::string_view text);

// "2026-01-31 23:59:59", the second that it lies in. Precondition: not before 1970.
std::string format_moment(double unix_s);

}  // namespace lento::base
