// Quantities with units: "1.2 GHz", "32 KiB", "900 GB/s", "350 W". Reading is strict: a unit is required
// unless the dimension is Plain or Percent, and it must belong to the dimension.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lento::base {

enum class Dimension {
  Plain,         // 1; also "%", "k"/"M"/"G"/"T" without a unit are refused
  Time,          // seconds: s ms us ns ps, min, h, d
  Frequency,     // hertz: Hz kHz MHz GHz
  Bytes,         // bytes: B, kB MB GB TB (1000), KiB MiB GiB TiB (1024)
  BytesPerTime,  // bytes per second: any Bytes unit + "/s"
  Rate,          // operations per second: OP/s .. POP/s, FLOP/s .. PFLOP/s
  Power,         // watts: mW W kW MW
  Energy,        // joules: fJ pJ nJ uJ mJ J kJ
  Voltage,       // volts: mV V
  Area,          // square metres: um2 mm2 cm2 m2
  Length,        // metres: nm um mm cm m
  Percent,       // fraction of one: "5 %" -> 0.05; a bare number is the fraction itself
  Money,         // US dollars: USD
};

// Returns the value in the base unit of the dimension. Throws Error at `where` that lists the legal units.
double parse_quantity(std::string_view text, Dimension dimension, const Location& where);

// Formats a value with four significant digits in the largest unit that does not exceed it: 1.234 ms, 8 KiB,
// 900 GB/s.
std::string format_quantity(double value, Dimension dimension);

// Returns the shortest text that reads back to the same double.
std::string format_exact(double value);

// Formats a value with `digits` significant digits and no trailing zeros.
std::string format_number(double value, int digits = 4);

// Formats a value for axes and tables: above 10,000 with up to four digits and an SI letter from k to P
// (12.5k, 3.2G), below in plain digits.
std::string format_compact(double value);

// Formats a value for a reader, in three digits: a known unit of time, frequency, size, rate, power or energy
// is scaled ("345000000", "Hz" gives "345 MHz"), any other follows the compact number ("12.5k records").
std::string format_measure(double value, std::string_view unit);

// Formats a share: 0.1234 as "12.3 %".
std::string percent(double share);

// Formats an address or a machine word: 0x80001000.
std::string hex(uint64_t value);

}  // namespace lento::base
