// Parses numbers with a unit: "639.67 W", "93 %", "1.2 kB/s".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet {

struct UnitText {
  double number = 0;  // number before the unit, not converted
  std::string unit;   // "kW"
};

// Parses a number, optional blanks and a unit of up to 16 characters without digits. Returns nullopt for
// anything else.
std::optional<UnitText> unit_text(std::string_view text);

// Converts the values of a metric to the unit of its first value. A zero without a unit fits any unit.
class MetricUnits {
 public:
  // Returns the number in the metric's first unit, or nullopt unless the units differ only in an SI prefix
  // ("950 W" after "1.2 kW"). A prefix alone is a factor: "1.2 k" is 1200 without a unit.
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
