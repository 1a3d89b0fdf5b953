// Parses numbers with from_chars, which depends on no locale and does not skip blanks. A text is a number
// only when every character of it was used.
#include "base/number.h"

#include <charconv>
#include <cmath>
#include <string>

namespace lento::base {
namespace {

template <class T, class... Options>
std::optional<T> parse_whole(std::string_view text, Options... options) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, options...);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<int64_t> try_int(std::string_view text) {
  return parse_whole<int64_t>(text, 10);
}

std::optional<uint64_t> try_uint(std::string_view text, int radix) {
  return parse_whole<uint64_t>(text, radix);
}

std::optional<double> try_double(std::string_view text) {
  const auto value = parse_whole<double>(text);
  if (value && std::isfinite(*value))
    return value;
  return std::nullopt;
}

int64_t parse_int(std::string_view text, const Location& where, int64_t min, int64_t max) {
  const auto value = try_int(text);
  if (!value)
    throw Error(where, "found '" + std::string(text.substr(0, 40)) + "', needed a whole number");
  if (*value < min || *value > max) {
    throw Error(
        where,
        "found " + std::string(text) + ", needed a number from " + std::to_string(min) + " to " +
            std::to_string(max));
  }
  return *value;
}

double parse_double(std::string_view text, const Location& where) {
  const auto value = try_double(text);
  if (!value)
    throw Error(where, "found '" + std::string(text.substr(0, 40)) + "', needed a finite number");
  return *value;
}

}  // namespace lento::base
