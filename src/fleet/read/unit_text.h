// Parses values that are written with their unit: "639.67 W", "93 %", "1.2 kB/s".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet {

struct UnitText {
  double number = 0;  // as written
  std::string unit;   // "kW"
};

// Parses number [blanks] unit. The unit has up to 16 characters without digits and is no second number.
// Returns nullopt for anything else.
std::optional<UnitText> unit_text(std::string_view text);

// Converts the values of a metric to the unit of its first one. A bare number has no unit, and zero has any.
class MetricUnits {
 public:
  // Returns nullopt when the unit is neither the metric's first nor that with another SI prefix ("950 W"
  // after "1.2 kW"). A prefix alone is a factor: "1.2 k" is a bare 1200.
  std::optional<double> of(uint32_t metric, const UnitText& text);
  std::optional<double> of(uint32_t metric, double bare);

 private:
  struct First {
    bool known = false;
    std::string unit;  // "" when bare
  };
  First& at(uint32_t metric);
  std::vector<First> first_;
};

}  // namespace lento::fleet
