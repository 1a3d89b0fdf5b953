// Parses and formats quantities. Every dimension has one table of units with their scales. A value is shown
// in the largest unit that does not exceed it.
#include "base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

#include "base/number.h"

namespace lento::base {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

constexpr double kKi = 1024.0;
// Units of a dimension in ascending order. format_quantity chooses among the first table of a dimension, the
// second holds units that are only read.
constexpr std::array kTime{
    Unit{"ps", 1e-12},
    Unit{"ns", 1e-9},
    Unit{"us", 1e-6},
    Unit{"ms", 1e-3},
    Unit{"s", 1.0}};
constexpr std::array kTimeMore{Unit{"min", 60.0}, Unit{"h", 3600.0}, Unit{"d", 86400.0}};
constexpr std::array kFrequency{Unit{"Hz", 1.0}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};
constexpr std::array kBytes{
    Unit{"B", 1.0},
    Unit{"KiB", kKi},
    Unit{"MiB", kKi* kKi},
    Unit{"GiB", kKi* kKi* kKi},
    Unit{"TiB", kKi* kKi* kKi* kKi}};
constexpr std::array kBytesMore{Unit{"kB", 1e3}, Unit{"MB", 1e6}, Unit{"GB", 1e9}, Unit{"TB", 1e12}};
constexpr std::array kBytesPerTime{
    Unit{"B/s", 1.0},
    Unit{"kB/s", 1e3},
    Unit{"MB/s", 1e6},
    Unit{"GB/s", 1e9},
    Unit{"TB/s", 1e12}};
constexpr std::array kBytesPerTimeMore{
    Unit{"KiB/s", kKi},
    Unit{"MiB/s", kKi* kKi},
    Unit{"GiB/s", kKi* kKi* kKi},
    Unit{"TiB/s", kKi* kKi* kKi* kKi}};
constexpr std::array kRate{
    Unit{"FLOP/s", 1.0},
    Unit{"kFLOP/s", 1e3},
    Unit{"MFLOP/s", 1e6},
    Unit{"GFLOP/s", 1e9},
    Unit{"TFLOP/s", 1e12},
    Unit{"PFLOP/s", 1e15}};
constexpr std::array kRateMore{
    Unit{"OP/s", 1.0},
    Unit{"kOP/s", 1e3},
    Unit{"MOP/s", 1e6},
    Unit{"GOP/s", 1e9},
    Unit{"TOP/s", 1e12},
    Unit{"POP/s", 1e15}};
constexpr std::array kPower{Unit{"mW", 1e-3}, Unit{"W", 1.0}, Unit{"kW", 1e3}, Unit{"MW", 1e6}};
constexpr std::array kEnergy{
    Unit{"fJ", 1e-15},
    Unit{"pJ", 1e-12},
    Unit{"nJ", 1e-9},
    Unit{"uJ", 1e-6},
    Unit{"mJ", 1e-3},
    Unit{"J", 1.0},
    Unit{"kJ", 1e3},
    Unit{"MJ", 1e6}};
constexpr std::array kVoltage{Unit{"mV", 1e-3}, Unit{"V", 1.0}};
constexpr std::array kArea{Unit{"um2", 1e-12}, Unit{"mm2", 1e-6}, Unit{"cm2", 1e-4}, Unit{"m2", 1.0}};
constexpr std::array kLength{
    Unit{"nm", 1e-9},
    Unit{"um", 1e-6},
    Unit{"mm", 1e-3},
    Unit{"cm", 1e-2},
    Unit{"m", 1.0}};
constexpr std::array kPercent{Unit{"%", 0.01}};
constexpr std::array kMoney{Unit{"USD", 1.0}};

struct Table {
  std::span<const Unit> shown;
  std::span<const Unit> more = {};
  std::string_view example;
};

// Returns the units of a dimension.
Table table_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::Plain:
      return {{}, {}, "12"};
    case Dimension::Time:
      return {kTime, kTimeMore, "10 ms"};
    case Dimension::Frequency:
      return {kFrequency, {}, "1.2 GHz"};
    case Dimension::Bytes:
      return {kBytes, kBytesMore, "32 KiB"};
    case Dimension::BytesPerTime:
      return {kBytesPerTime, kBytesPerTimeMore, "900 GB/s"};
    case Dimension::Rate:
      return {kRate, kRateMore, "312 TFLOP/s"};
    case Dimension::Power:
      return {kPower, {}, "300 W"};
    case Dimension::Energy:
      return {kEnergy, {}, "1.2 pJ"};
    case Dimension::Voltage:
      return {kVoltage, {}, "0.8 V"};
    case Dimension::Area:
      return {kArea, {}, "850 mm2"};
    case Dimension::Length:
      return {kLength, {}, "7 nm"};
    case Dimension::Percent:
      return {kPercent, {}, "5 %"};
    case Dimension::Money:
      return {kMoney, {}, "1000 USD"};
  }
  return {};
}

std::string known_units(const Table& table) {
  std::string text;
  for (const auto units : {table.shown, table.more}) {
    for (const Unit& unit : units)
      text.append(text.empty() ? "" : ", ").append(unit.name);
  }
  return text;
}

}  // namespace

double parse_quantity(std::string_view text, Dimension dimension, const Location& where) {
  const Table table = table_of(dimension);
  const size_t number_end = text.find_last_of("0123456789.") == std::string_view::npos ? 0 : [&] {
    double ignored;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), ignored);
    if (code == std::errc())
      return size_t(end - text.data());
    return size_t{0};
  }();
  const auto number = try_double(text.substr(0, number_end));
  std::string_view unit = text.substr(number_end);
  while (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  const std::string found = "found '" + std::string(text.substr(0, 60)) + "'";
  if (!number)
    throw Error(where, found + ", needed a quantity such as '" + std::string(table.example) + "'");
  if (unit.empty()) {
    if (dimension == Dimension::Plain || dimension == Dimension::Percent)
      return *number;
    throw Error(
        where,
        found + " without a unit, needed for example '" + std::string(table.example) + "'",
        "units: " + known_units(table));
  }
  for (const auto units : {table.shown, table.more}) {
    for (const Unit& candidate : units) {
      if (candidate.name == unit)
        return *number * candidate.scale;
    }
  }
  throw Error(
      where,
      found + ", unit '" + std::string(unit) + "' does not fit here",
      table.shown.empty() ? "needed a number without a unit" : "units: " + known_units(table));
}

std::string format_number(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  const std::string text = buffer;
  const size_t e = text.find('e');
  // Large whole numbers are written without an exponent.
  if (e == std::string::npos || std::fabs(value) >= 1e15 || std::fabs(value) < 1)
    return text;
  std::snprintf(buffer, sizeof buffer, "%.0f", value);
  return buffer;
}

std::string format_compact(double value) {
  constexpr std::string_view kLetters = "kMGTP";
  const double size = std::fabs(value);
  if (size < 1e4 || size >= 1e18)
    return format_number(value);
  int power = 0;
  for (double rest = size / 1000; rest >= 1000 && power < 4; rest /= 1000)
    ++power;
  return format_number(value / std::pow(1000.0, power + 1)) + kLetters[size_t(power)];
}

std::string format_exact(double value) {
  char buffer[64];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, code == std::errc() ? end : buffer);
}

namespace {

// Formats a value in the largest unit of the table that does not exceed it.
std::string in_best_unit(double value, std::span<const Unit> units, int digits) {
  const Unit* chosen = &units.front();
  for (const Unit& unit : units) {
    if (std::fabs(value) >= unit.scale)
      chosen = &unit;
  }
  if (value == 0)
    chosen = &units[units.size() / 2];
  return format_number(value / chosen->scale, digits) + " " + std::string(chosen->name);
}

}  // namespace

std::string format_quantity(double value, Dimension dimension) {
  const Table table = table_of(dimension);
  if (dimension == Dimension::Percent)
    return format_number(value * 100, 3) + " %";
  if (table.shown.empty())
    return format_number(value);
  return in_best_unit(value, table.shown, 4);
}

std::string format_measure(double value, std::string_view unit) {
  // Tools of GPUs print clocks in MHz, up to four digits, and so do the axes of pictures.
  if (unit == "MHz" && std::fabs(value) >= 1 && std::fabs(value) < 1e4)
    return format_number(value, 4) + " MHz";
  constexpr Dimension kScaled[] = {
      Dimension::Time,
      Dimension::Frequency,
      Dimension::Bytes,
      Dimension::BytesPerTime,
      Dimension::Rate,
      Dimension::Power,
      Dimension::Energy,
      Dimension::Voltage};
  for (const Dimension dimension : kScaled) {
    const Table table = table_of(dimension);
    for (const Unit& known : table.shown) {
      if (known.name == unit && std::isfinite(value) && value != 0)
        return in_best_unit(value * known.scale, table.shown, dimension == Dimension::Frequency ? 4 : 3);
    }
  }
  const std::string text = std::fabs(value) < 1e4 ? format_number(value, 3) : format_compact(value);
  return unit.empty() ? text : text + " " + std::string(unit);
}

std::string percent(double share) {
  return format_number(100 * share, 3) + " %";
}

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace lento::base
