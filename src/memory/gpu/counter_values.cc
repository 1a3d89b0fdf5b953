// Converts the words of a profile to numbers: values with their separators, units, and the sentences of
// rules.
#include "memory/gpu/counter_values.h"

#include <regex>

#include "base/number.h"

namespace lento::memory {

void Values::add(const std::string& name, const std::string& unit, double value) {
  const bool for_people = name.find("__") == name.npos;
  add(unit == "%" && for_people ? name + " %" : name, value * counter_scale(unit));
}

double Values::first_sum(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (has(name))
      return sum(name);
  }
  return 0;
}

std::optional<double> Values::first_mean(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const Sum* s = find(name))
      return s->mean();
  }
  return std::nullopt;
}

std::optional<double> counter_number(std::string text) {
  std::erase_if(text, [](char c) {
    return c == ',' || c == '%' || c == ' ' || c == '\'';
  });
  return base::try_double(text);
}

double counter_scale(const std::string& unit) {
  static const std::map<std::string, double, std::less<>> kTimes =
      {{"second", 1e9}, {"s", 1e9}, {"msecond", 1e6}, {"ms", 1e6}, {"usecond", 1e3}, {"us", 1e3}};
  static const std::map<char, double> kPrefixes = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  const auto time = kTimes.find(unit);
  if (time != kTimes.end())
    return time->second;
  const auto prefix = unit.size() > 1 ? kPrefixes.find(unit[0]) : kPrefixes.end();
  const bool scaled =
      prefix != kPrefixes.end() && unit[1] >= 'a' && unit[1] <= 'z' && unit != "Mhz" && unit != "Ghz";
  return scaled ? prefix->second : 1;
}

// Nsight Compute states some counts only in the sentences of its rules, whose wording has been the same for
// years.
void add_rule(const std::string& text, Values& values) {
  struct Rule {
    std::regex sentence;
    const char* excess;
    const char* all;
  };
  static const Rule kRules[] = {
      {std::regex(R"(total of (\d+) excessive sectors \(\d+% of the\s+total (\d+)\s+sectors\))"),
       "rule excessive sectors",
       "rule sectors"},
      {std::regex(R"(total of (\d+) excessive wavefronts \(\d+% of the\s+total (\d+)\s+wavefronts\))"),
       "rule excessive wavefronts",
       "rule all wavefronts"},
      {std::regex(
           R"(results in (\d+) bank conflicts,\s+which represent\s+[\d.]+% of the overall (\d+)\s+wavefronts)"),
       "rule bank conflicts",
       "rule wavefronts"}};
  constexpr size_t kLongest = 4096;
  if (text.empty() || text.size() > kLongest)
    return;
  values.add("rules", 1);
  for (const Rule& rule : kRules) {
    std::smatch m;
    if (!std::regex_search(text, m, rule.sentence))
      continue;
    values.add(rule.excess, counter_number(m[1]).value_or(0));
    values.add(rule.all, counter_number(m[2]).value_or(0));
  }
}

}  // namespace lento::memory
