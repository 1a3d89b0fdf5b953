// Values that are written with their unit: "639.67 W", "93 %", "1.2 kB/s".
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

// number [blanks] unit, the unit up to 16 characters without digits that is no second number. nullopt:
// anything else.
std::optional<UnitText> unit_text(std::string_view text);

// Brings the values of a metric to the unit that its first one had. A bare number has none, zero has any.
class MetricUnits {
 public:
  // nullopt when the unit is neither the metric's first nor that with another SI prefix ("950 W" after "1.2
  // kW"). A prefix alone is a factor: "1.2 k" is a bare 1200.
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
