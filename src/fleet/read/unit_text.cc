// Parses values that are written with their unit, and converts the values of a metric to the unit of its
// first one. Only SI prefixes are converted, because other units are not comparable.
#include "fleet/read/unit_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace lento::fleet {
namespace {

constexpr size_t kLongestUnit = 16;

constexpr std::array<std::pair<std::string_view, double>, 13> kPrefixes{
    std::pair{"Ki", 0x1p10},
    std::pair{"Mi", 0x1p20},
    std::pair{"Gi", 0x1p30},
    std::pair{"Ti", 0x1p40},
    std::pair{"k", 1e3},
    std::pair{"K", 1e3},
    std::pair{"M", 1e6},
    std::pair{"G", 1e9},
    std::pair{"T", 1e12},
    std::pair{"m", 1e-3},
    std::pair{"u", 1e-6},
    std::pair{"\xc2\xb5", 1e-6},
    std::pair{"n", 1e-9},
};

// Suffixes by which dashboards shorten numbers without a unit.
constexpr std::array<std::pair<std::string_view, double>, 7> kFactors{
    std::pair{"k", 1e3},
    std::pair{"K", 1e3},
    std::pair{"M", 1e6},
    std::pair{"Mil", 1e6},
    std::pair{"G", 1e9},
    std::pair{"Bil", 1e9},
    std::pair{"T", 1e12},
};

// Returns whether the text looks like a unit.
bool is_unit(std::string_view text) {
  if (text.empty() || text.size() > kLongestUnit)
    return false;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
    if (!letter && c != '%' && c != '/' && c != ' ')
      return false;
  }
  return true;
}

// Returns the factor from `unit` to `wanted` when they differ by a prefix only: 1000 for kW in W.
std::optional<double> ratio(std::string_view unit, std::string_view wanted) {
  for (const auto& [prefix, factor] : kPrefixes) {
    if (unit.starts_with(prefix) && unit.substr(prefix.size()) == wanted && !wanted.empty())
      return factor;
    if (wanted.starts_with(prefix) && wanted.substr(prefix.size()) == unit && !unit.empty())
      return 1 / factor;
  }
  for (const auto& [one, factor] : kPrefixes)
    for (const auto& [other, other_factor] : kPrefixes)
      if (unit.starts_with(one) && wanted.starts_with(other) && unit.size() > one.size() &&
          unit.substr(one.size()) == wanted.substr(other.size()))
        return factor / other_factor;
  return std::nullopt;
}

}  // namespace

std::optional<UnitText> unit_text(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || !std::isfinite(number))
    return std::nullopt;
  std::string_view unit = text.substr(size_t(end - text.data()));
  while (unit.starts_with(' '))
    unit.remove_prefix(1);
  if (!is_unit(unit))
    return std::nullopt;
  return UnitText{number, std::string(unit)};
}

MetricUnits::First& MetricUnits::at(uint32_t metric) {
  if (metric >= first_.size())
    first_.resize(metric + 1);
  return first_[metric];
}

std::optional<double> MetricUnits::of(uint32_t metric, double bare) {
  First& first = at(metric);
  if (bare == 0 || (first.known && first.unit.empty()))
    return bare;
  if (first.known)
    return std::nullopt;
  first.known = true;
  return bare;
}

std::optional<double> MetricUnits::of(uint32_t metric, const UnitText& text) {
  for (const auto& [word, factor] : kFactors)
    if (text.unit == word)
      return of(metric, text.number * factor);
  First& first = at(metric);
  if (!first.known)
    first = {true, text.unit};
  if (first.unit == text.unit)
    return text.number;
  const auto scale = ratio(text.unit, first.unit);
  if (!scale)
    return std::nullopt;
  return text.number * *scale;
}

}  // namespace lento::fleet
