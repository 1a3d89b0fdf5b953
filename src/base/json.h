// The only JSON wrapper: a small value type, located parsing and reproducible writing.
//
// Objects keep the order in which members were added, so the same value always writes the same bytes. Parsing
// refuses duplicate keys, nesting over 256 and anything that is not exactly one JSON value. Numbers without
// fraction or exponent that fit are integers. The accessors `at`, `number`, ... throw Error that names the
// file and the path of the value ("layers[3].name").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace lento::base {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(bool value)
      : value_(value) {
  }
  Json(int value)
      : value_(int64_t{value}) {
  }
  Json(int64_t value)
      : value_(value) {
  }
  Json(uint64_t value);  // above INT64_MAX becomes a double
  Json(double value)
      : value_(value) {
  }  // not finite writes null
  Json(std::string value)
      : value_(std::move(value)) {
  }
  Json(std::string_view value)
      : value_(std::string(value)) {
  }
  Json(const char* value)
      : value_(std::string(value)) {
  }
  Json(Array value)
      : value_(std::move(value)) {
  }
  Json(Object value)
      : value_(std::move(value)) {
  }
  static Json array() {
    return Json(Array{});
  }
  static Json object() {
    return Json(Object{});
  }

  bool is_null() const {
    return std::holds_alternative<std::monostate>(value_);
  }
  bool is_bool() const {
    return std::holds_alternative<bool>(value_);
  }
  bool is_int() const {
    return std::holds_alternative<int64_t>(value_);
  }
  bool is_number() const {
    return is_int() || std::holds_alternative<double>(value_);
  }
  bool is_string() const {
    return std::holds_alternative<std::string>(value_);
  }
  bool is_array() const {
    return std::holds_alternative<Array>(value_);
  }
  bool is_object() const {
    return std::holds_alternative<Object>(value_);
  }

  // Builders. `set` appends or replaces a member, `push` appends to an array. Both return *this.
  Json& set(std::string_view key, Json value);
  Json& push(Json value);

  // Accessors that do not throw.
  const Json* find(std::string_view key) const;  // nullptr when absent or not an object
  const Array& items() const;                    // empty when not an array
  const Object& members() const;                 // empty when not an object
  size_t size() const;

  // Accessors that throw a located Error. `where` names the file, and callers extend its `path` as they
  // descend.
  const Json& at(std::string_view key, const Location& where) const;
  bool boolean(const Location& where) const;
  int64_t integer(const Location& where, int64_t min = INT64_MIN, int64_t max = INT64_MAX) const;
  double number(const Location& where) const;
  const std::string& string(const Location& where) const;
  const Array& array(const Location& where) const;
  const Object& object(const Location& where) const;

  // Accessors with a default for absent members.
  double number_or(std::string_view key, double fallback, const Location& where) const;
  int64_t integer_or(std::string_view key, int64_t fallback, const Location& where) const;
  std::string string_or(std::string_view key, std::string_view fallback, const Location& where) const;

 private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
};

// Returns `where` with its path extended: child(w, "layers") or child(w, 3).
Location child(const Location& where, std::string_view key);
Location child(const Location& where, size_t index);

Json parse_json(std::string_view text, std::string_view file);
// Parses a piece of a file that begins in line `first_line` of it, so that errors name the line of the file.
Json parse_json(std::string_view text, std::string_view file, int first_line);

// Writes one line when indent < 0. Bytes that are not UTF-8 are written as U+FFFD.
std::string write_json(const Json& value, int indent = -1);

}  // namespace lento::base
