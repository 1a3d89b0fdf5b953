// Holds what a profile of GPU kernels states, by kernel and source line, before counters are interpreted: a
// map from the profiler's name of a counter to its sum over the launches, its largest value and its mean. Two
// readers fill it, one for tables and one for the printed sections of Nsight Compute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/read_report.h"

namespace lento::memory {

struct Sum {
  double sum = 0;
  double most = 0;
  double count = 0;
  double mean() const {
    return count > 0 ? sum / count : 0;
  }
};

struct Values {
  std::map<std::string, Sum, std::less<>> by_name;
  uint64_t launches = 0;

  void add(const std::string& name, double value) {
    Sum& s = by_name[name];
    s.sum += value;
    s.most = s.count == 0 ? value : std::max(s.most, value);
    ++s.count;
  }
  // Adds a value of a table that states name and unit. The details page gives a percentage the same name as a
  // rate ("Memory Throughput"), so "%" becomes a part of the name.
  void add(const std::string& name, const std::string& unit, double value);

  const Sum* find(std::string_view name) const {
    const auto at = by_name.find(name);
    return at == by_name.end() ? nullptr : &at->second;
  }
  bool has(std::string_view name) const {
    return find(name) != nullptr;
  }
  double sum(std::string_view name) const {
    const Sum* s = find(name);
    return s ? s->sum : 0;
  }
  // Return the sum or the mean of the first of these counters that the profile has, else 0 or nothing.
  double first_sum(std::initializer_list<std::string_view> names) const;
  std::optional<double> first_mean(std::initializer_list<std::string_view> names) const;
};

using PlaceKey = std::pair<std::string, std::string>;  // kernel, source line or ""
using ValuesByPlace = std::map<PlaceKey, Values>;

// Reads "1,234.5" and "12.5%".
std::optional<double> counter_number(std::string text);
// Returns the value of one unit in bytes, sectors or nanoseconds: "Mbyte" 1e6, "usecond" 1e3.
double counter_scale(const std::string& unit);
// Adds the counts that a rule states in its sentence.
void add_rule(const std::string& text, Values& values);

// Returns whether the text has the header of a table of counters, or of the printed sections. Lines of the
// profiled program may come before.
bool is_counter_table(std::string_view head);
bool is_counter_sections(std::string_view head);

ValuesByPlace read_counter_tables(std::string_view text, const std::string& path, base::ReadReport& report);
ValuesByPlace read_counter_sections(std::string_view text, base::ReadReport& report);

}  // namespace lento::memory
