// Parses and writes JSON with nlohmann's library behind our own value type. The library's event interface
// lets the parser bound the depth and refuse duplicate keys while it reads, before a hostile file can use
// much memory.
#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace lento::base {
namespace {

constexpr size_t kMaxDepth = 256;

// Builds a Json from the events of the parser. It holds only the chain of open containers.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view file)
      : file_(file) {
  }
  Json take() {
    return std::move(root_);
  }
  const std::string& failure() const {
    return failure_;
  }
  size_t failed_at() const {
    return failed_at_;
  }

  bool null() override {
    return add(Json());
  }
  bool boolean(bool v) override {
    return add(Json(v));
  }
  bool number_integer(number_integer_t v) override {
    return add(Json(int64_t(v)));
  }
  bool number_unsigned(number_unsigned_t v) override {
    return add(Json(uint64_t(v)));
  }
  bool number_float(number_float_t v, const string_t&) override {
    return add(Json(double(v)));
  }
  bool string(string_t& v) override {
    return add(Json(std::move(v)));
  }
  bool binary(binary_t&) override {
    return false;
  }
  bool start_object(size_t) override {
    return open(Json::object());
  }
  bool end_object() override {
    return close();
  }
  bool start_array(size_t) override {
    return open(Json::array());
  }
  bool end_array() override {
    return close();
  }

  bool key(string_t& v) override {
    Open& top = open_.back();
    if (!top.keys.insert(v).second) {
      failure_ = "key '" + v.substr(0, 60) + "' stands twice in one object";
      return false;
    }
    top.key = std::move(v);
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception& e) override {
    failed_at_ = position;
    const std::string what = e.what();
    const size_t colon = what.rfind("; ");
    failure_ = "not valid JSON: " + (colon == std::string::npos ? what : what.substr(colon + 2));
    const size_t detail = what.find(": syntax error");
    if (detail != std::string::npos)
      failure_ = "not valid JSON" + what.substr(what.find(" - ", detail));
    return false;
  }

 private:
  struct Open {
    Json value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  // Adds a value to the innermost open array or object.
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push(std::move(value));
    } else {
      append_member(open_.back(), std::move(value));
    }
    return true;
  }

  // Appends without the search of Json::set, because key() has already refused duplicates.
  static void append_member(Open& top, Json value) {
    const_cast<Json::Object&>(top.value.members()).emplace_back(std::move(top.key), std::move(value));
  }

  // Opens an array or object. Returns false when nested too deeply.
  bool open(Json empty) {
    if (open_.size() >= kMaxDepth) {
      failure_ = "nested deeper than " + std::to_string(kMaxDepth);
      return false;
    }
    open_.push_back({std::move(empty), {}, {}});
    return true;
  }

  bool close() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  std::string_view file_;
  Json root_;
  std::vector<Open> open_;
  std::string failure_;
  size_t failed_at_ = 0;
};

Location place_of(std::string_view text, size_t position, std::string_view file) {
  const std::string_view before = text.substr(0, std::min(position ? position - 1 : 0, text.size()));
  const int line = 1 + int(std::ranges::count(before, '\n'));
  const size_t newline = before.rfind('\n');
  const size_t column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return {std::string(file), line, int(column) + 1, {}};
}

std::string kind_of(const Json& value) {
  if (value.is_null())
    return "null";
  if (value.is_bool())
    return "a boolean";
  if (value.is_number())
    return "a number";
  if (value.is_string())
    return "text";
  if (value.is_array())
    return "an array";
  return "an object";
}

[[noreturn]] void mismatch(const Json& found, std::string_view needed, const Location& where) {
  throw Error(where, "found " + kind_of(found) + ", needed " + std::string(needed));
}

// Converts a value to the type of the JSON library, which writes it.
nlohmann::ordered_json to_library(const Json& value) {
  const Location nowhere;
  if (value.is_bool())
    return value.boolean(nowhere);
  if (value.is_int())
    return value.integer(nowhere);
  if (value.is_number())
    return value.number(nowhere);
  if (value.is_string())
    return value.string(nowhere);
  if (value.is_array()) {
    auto out = nlohmann::ordered_json::array();
    for (const Json& item : value.items())
      out.push_back(to_library(item));
    return out;
  }
  if (value.is_object()) {
    nlohmann::ordered_json::object_t out;
    out.reserve(value.size());
    for (const auto& [key, item] : value.members()) {
      static_cast<std::vector<std::pair<const std::string, nlohmann::ordered_json>>&>(out).emplace_back(
          key,
          to_library(item));
    }
    return out;
  }
  return nullptr;
}

// The library escapes control characters below a space only. Delete and the C1 controls also steer a
// terminal, so they are escaped here.
std::string without_controls(std::string text) {
  const auto is_c1 = [&](size_t i) {
    return text[i] == '\xc2' && i + 1 < text.size() &&
           (static_cast<unsigned char>(text[i + 1]) & 0xE0) == 0x80;
  };
  size_t at = 0;
  while (at < text.size() && text[at] != '\x7f' && !is_c1(at))
    ++at;
  if (at == text.size())
    return text;
  std::string out = text.substr(0, at);
  for (; at < text.size(); ++at) {
    const bool c1 = is_c1(at);
    if (!c1 && text[at] != '\x7f') {
      out += text[at];
      continue;
    }
    if (c1)
      ++at;
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(static_cast<unsigned char>(text[at])));
    out += escaped;
  }
  return out;
}

}  // namespace

Json::Json(uint64_t value) {
  if (value <= uint64_t(std::numeric_limits<int64_t>::max())) {
    value_ = int64_t(value);
  } else {
    value_ = double(value);
  }
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null())
    value_ = Object{};
  auto& members = std::get<Object>(value_);
  for (auto& [name, existing] : members) {
    if (name != key)
      continue;
    existing = std::move(value);
    return *this;
  }
  members.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null())
    value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members()) {
    if (name == key)
      return &value;
  }
  return nullptr;
}

const Json::Array& Json::items() const {
  static const Array kNone;
  const auto* array = std::get_if<Array>(&value_);
  return array ? *array : kNone;
}

const Json::Object& Json::members() const {
  static const Object kNone;
  const auto* object = std::get_if<Object>(&value_);
  return object ? *object : kNone;
}

size_t Json::size() const {
  if (is_array())
    return items().size();
  return members().size();
}

const Json& Json::at(std::string_view key, const Location& where) const {
  const Json* found = find(key);
  if (found)
    return *found;
  std::vector<std::string> names;
  for (const auto& member : object(where))
    names.push_back(member.first);
  const std::string near = nearest(key, names);
  throw Error(
      where,
      "'" + std::string(key) + "' is missing",
      near.empty() ? "" : "is '" + near + "' meant for it?");
}

bool Json::boolean(const Location& where) const {
  if (!is_bool())
    mismatch(*this, "true or false", where);
  return std::get<bool>(value_);
}

// Returns the value as an integer. Throws base::Error when it is not whole or outside the limits.
int64_t Json::integer(const Location& where, int64_t min, int64_t max) const {
  int64_t result;
  if (is_int()) {
    result = std::get<int64_t>(value_);
  } else {
    const double* real = std::get_if<double>(&value_);
    if (!real || *real != std::floor(*real) || std::fabs(*real) > 9.0e18)
      mismatch(*this, "a whole number", where);
    result = int64_t(*real);
  }
  if (result < min || result > max) {
    throw Error(
        where,
        "found " + std::to_string(result) + ", needed a number from " + std::to_string(min) + " to " +
            std::to_string(max));
  }
  return result;
}

double Json::number(const Location& where) const {
  if (is_int())
    return double(std::get<int64_t>(value_));
  if (!is_number())
    mismatch(*this, "a number", where);
  return std::get<double>(value_);
}

const std::string& Json::string(const Location& where) const {
  if (!is_string())
    mismatch(*this, "text", where);
  return std::get<std::string>(value_);
}

const Json::Array& Json::array(const Location& where) const {
  if (!is_array())
    mismatch(*this, "an array", where);
  return std::get<Array>(value_);
}

const Json::Object& Json::object(const Location& where) const {
  if (!is_object())
    mismatch(*this, "an object", where);
  return std::get<Object>(value_);
}

double Json::number_or(std::string_view key, double fallback, const Location& where) const {
  const Json* found = find(key);
  if (found)
    return found->number(child(where, key));
  return fallback;
}

int64_t Json::integer_or(std::string_view key, int64_t fallback, const Location& where) const {
  const Json* found = find(key);
  if (found)
    return found->integer(child(where, key));
  return fallback;
}

std::string Json::string_or(std::string_view key, std::string_view fallback, const Location& where) const {
  const Json* found = find(key);
  if (found)
    return found->string(child(where, key));
  return std::string(fallback);
}

Location child(const Location& where, std::string_view key) {
  Location out = where;
  out.path += (out.path.empty() ? "" : ".") + std::string(key);
  return out;
}

Location child(const Location& where, size_t index) {
  Location out = where;
  out.path += "[" + std::to_string(index) + "]";
  return out;
}

Json parse_json(std::string_view text, std::string_view file) {
  return parse_json(text, file, 1);
}

Json parse_json(std::string_view text, std::string_view file, int first_line) {
  Builder builder(file);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return builder.take();
  const size_t position = builder.failed_at();
  Location where{std::string(file)};
  if (position) {
    where = place_of(text, position, file);
    where.line += first_line - 1;
  }
  throw Error(where, builder.failure());
}

std::string write_json(const Json& value, int indent) {
  return without_controls(
      to_library(value).dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace lento::base
