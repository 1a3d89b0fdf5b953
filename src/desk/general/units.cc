// Derives the meaning of a number from its unit: a rate of data, operations or work, a time, a clock.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/ascii.h"
#include "desk/general/kept_measure.h"
#include "desk/general/labels.h"

namespace lento::desk {
namespace {

struct Prefix {
  char letter;
  double factor;
};
constexpr std::array<Prefix, 5> kPrefixes{{{'k', 1e3}, {'m', 1e6}, {'g', 1e9}, {'t', 1e12}, {'p', 1e15}}};

}  // namespace

double factor_of(char letter) {
  const char small = letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter;
  for (const Prefix& prefix : kPrefixes)
    if (prefix.letter == small)
      return prefix.factor;
  return 1;
}

namespace {

// Returns the unit of a rate of data and its factor: "kB", "MiB", "Gbits", "GBytes". "" for other units.
std::pair<std::string, double> data_unit(std::string_view text) {
  double factor = 1;
  if (const double thousand = text.empty() ? 1 : factor_of(text[0]); thousand > 1) {
    factor = thousand;
    text.remove_prefix(1);
    if (text.starts_with("i")) {
      constexpr double kKibi = 1.024;
      for (double power = 1; power < thousand; power *= 1e3)
        factor *= kKibi;
      text.remove_prefix(1);
    }
  }
  if (text == "B" || text == "Byte" || text == "Bytes" || text == "bytes")
    return {"B/s", factor};
  if (text == "b" || text == "bit" || text == "bits")
    return {"bit/s", factor};
  return {"", 1};
}

struct TimeUnit {
  std::string_view text;
  double seconds;
};
constexpr std::array<TimeUnit, 13> kTimeUnits{
    {{"s", 1},
     {"sec", 1},
     {"secs", 1},
     {"second", 1},
     {"seconds", 1},
     {"ms", 1e-3},
     {"msec", 1e-3},
     {"millis", 1e-3},
     {"us", 1e-6},
     {"usec", 1e-6},
     {"\xc2\xb5s", 1e-6},
     {"ns", 1e-9},
     {"nsec", 1e-9}}};

}  // namespace

double seconds_of(std::string_view text) {
  for (const TimeUnit& unit : kTimeUnits)
    if (unit.text == text)
      return unit.seconds;
  return 0;
}

namespace {

// Returns the factor of a unit of floating point operations ("Gflops", "TFLOP/s"), given without the part
// after the slash.
std::optional<double> flops_of(const std::string& head) {
  const size_t at = head.find("flop");
  if (at == head.npos || at > 1)
    return std::nullopt;
  return at == 0 ? 1 : factor_of(head[0]);
}

Measure derive_from_unit(std::string_view unit) {
  constexpr std::string_view kMillions = "10^6";  // netperf
  if (unit.starts_with(kMillions)) {
    Measure measure = measure_of_unit(unit.substr(kMillions.size()));
    measure.scale *= 1e6;
    return measure;
  }
  const std::string lower = base::lower_case(unit);
  if (constexpr std::string_view kPer = "per "; lower.starts_with(kPer) && lower.size() > kPer.size()) {
    const double seconds = seconds_of(std::string_view(lower).substr(kPer.size()));
    return seconds > 0 ? Measure{Meaning::Rate, "1/s", 1 / seconds} : Measure{};
  }
  const size_t slash = lower.find('/');
  const std::string head = lower.substr(0, slash);
  const std::string tail = slash == lower.npos ? "" : lower.substr(slash + 1);
  if (const auto flops = flops_of(head))
    return {Meaning::Rate, "FLOP/s", *flops};
  if (slash != lower.npos) {
    const std::string per = tail.substr(0, tail.find('/'));
    constexpr std::array<std::string_view, 4> kSeconds{"s", "sec", "second", "seconds"};
    constexpr std::array<std::string_view, 6> kPeriods{"min", "minute", "h", "hr", "hour", "day"};
    if (std::ranges::find(kPeriods, per) != kPeriods.end())  // also a simulated time: "ns/day"
      return {Meaning::Rate, lower, 1};
    if (std::ranges::find(kSeconds, per) != kSeconds.end()) {
      const auto [data, factor] = data_unit(unit.substr(0, slash));
      return {Meaning::Rate, data.empty() ? lower : data, factor};
    }
    const double seconds = seconds_of(head);
    return seconds > 0 && !per.empty() ? Measure{Meaning::Duration, "s", seconds} : Measure{};
  }
  if (const double seconds = seconds_of(lower); seconds > 0)
    return {Meaning::Duration, "s", seconds};
  constexpr std::array<std::string_view, 4> kBare{"tps", "qps", "fps", "iops"};
  if (std::ranges::find(kBare, lower) != kBare.end())
    return {Meaning::Rate, lower, 1};
  if (unit == "GF" || unit == "TF" || unit == "PF")  // HPL
    return {Meaning::Rate, "FLOP/s", factor_of(lower[0])};
  if (lower == "mhz" || lower == "ghz")
    return {Meaning::Clock, "Hz", lower == "mhz" ? 1e6 : 1e9};
  if (lower.ends_with("ps") && unit.size() > 3) {  // Gbps, MBps
    const auto [data, factor] = data_unit(unit.substr(0, unit.size() - 2));
    return data.empty() ? Measure{} : Measure{Meaning::Rate, data, factor};
  }
  return {};
}

}  // namespace

Measure measure_of_unit(std::string_view unit) {
  thread_local std::unordered_map<std::string, Measure> kept;
  return kept_measure(kept, std::string(unit), [&] {
    return derive_from_unit(unit);
  });
}

}  // namespace lento::desk
