// Reads tables as JSON Lines. The columns must be known before the first row, so the reader buffers the first
// 100 lines and collects their keys. Nested objects become columns with dotted names.
#include "base/scan/json_lines.h"

#include <algorithm>

#include "base/number.h"
#include "base/units.h"

namespace lento::base {
namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Returns a JSON value as the text of a table cell.
std::string text_of(const Json& value) {
  const Location nowhere;
  if (value.is_null())
    return {};
  if (value.is_string())
    return value.string(nowhere);
  if (value.is_number() && !value.is_int())
    return format_exact(value.number(nowhere));
  return write_json(value);
}

// True for a number by the grammar of JSON: '-' is the only sign, and neither leading zeros nor bare points
// are allowed.
bool is_json_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-'))
    digits.remove_prefix(1);
  const bool begins = !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
  const bool leading_zero = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
  const size_t point = digits.find('.');
  const bool bare_point = point != std::string_view::npos &&
                          (point + 1 == digits.size() || digits[point + 1] < '0' || digits[point + 1] > '9');
  return begins && !leading_zero && !bare_point && try_double(text).has_value();
}

}  // namespace

bool JsonLines::begins(std::string_view head) {
  if (head.starts_with(kByteOrderMark))
    head.remove_prefix(kByteOrderMark.size());
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

JsonLines::JsonLines(InputStream& in)
    : in_(in) {
  Line line;
  size_t bytes = 0;
  while (ahead_.size() < kColumnLines && bytes < kMaxBytes && next_line(line)) {
    if (ahead_.empty() && line.text.starts_with(kByteOrderMark))
      line.text.erase(0, kByteOrderMark.size());
    bytes += line.text.size();
    ahead_.push_back(line);
  }
  for (const Line& known : ahead_) {
    const Json object = parse_object(known);
    if (!object.is_object() && &known == &ahead_.front())
      break;
    add_columns(object, "");
  }
  if (columns_.empty())
    throw Error(
        {in.path(), 1},
        "the first line is no JSON object with members",
        "JSON Lines hold one object a line, whole on its line; jq -c writes them so");
}

Json JsonLines::parse_object(const Line& line) const {
  if (line.text.size() > kMaxBytes)
    return {};
  try {
    return parse_json(line.text, in_.path(), int(std::min<int64_t>(line.number, INT32_MAX)));
  } catch (const Error&) {
    return {};
  }
}

// Reads the next line that is not blank.
bool JsonLines::next_line(Line& line) {
  std::string_view text;
  while (in_.line(text)) {
    if (text.find_first_not_of(kBlank) == std::string_view::npos)
      continue;
    line = {in_.line_number(), std::string(text)};
    return true;
  }
  return false;
}

// Adds a column for each member. Members of inner objects are named outer.inner.
void JsonLines::add_columns(const Json& object, const std::string& prefix) {
  for (const auto& [key, value] : object.members()) {
    const std::string name = prefix + key;
    if (value.is_object())
      add_columns(value, name + ".");
    else if (index_.emplace(name, columns_.size()).second)
      columns_.push_back(name);
  }
}

// Sets the cells of a row from an object. Returns false for an unknown member.
bool JsonLines::set_fields(const Json& object, const std::string& prefix, std::vector<std::string>& fields)
    const {
  for (const auto& [key, value] : object.members()) {
    const std::string name = prefix + key;
    if (value.is_object()) {
      if (!set_fields(value, name + ".", fields))
        return false;
      continue;
    }
    const auto at = index_.find(name);
    if (at == index_.end())
      return false;
    fields[at->second] = text_of(value);
  }
  return true;
}

bool JsonLines::next(std::vector<std::string>& fields, ReadReport& report) {
  Line line;
  for (;;) {
    if (!ahead_.empty()) {
      line = std::move(ahead_.front());
      ahead_.pop_front();
    } else if (!next_line(line)) {
      return false;
    }
    const Location where{in_.path(), int(std::min<int64_t>(line.number, INT32_MAX))};
    const Json object = parse_object(line);
    if (!object.is_object()) {
      report.skip(where, "a line that is no JSON object");
      continue;
    }
    fields.assign(columns_.size(), {});
    if (!set_fields(object, "", fields)) {
      report.skip(where, "a key that none of the first " + std::to_string(kColumnLines) + " objects has");
      continue;
    }
    line_number_ = line.number;
    return true;
  }
}

std::string json_line(const std::vector<std::string>& columns, const std::vector<std::string>& fields) {
  std::string out = "{";
  for (size_t i = 0; i < columns.size(); ++i) {
    out += (i ? "," : "") + write_json(Json(columns[i])) + ":";
    if (fields[i].empty())
      out += "null";
    else
      out += is_json_number(fields[i]) ? fields[i] : write_json(Json(fields[i]));
  }
  return out + "}";
}

}  // namespace lento::base
