// Splits lines of tables that are mixed with other lines of output. Each line is split alone.
#include "desk/bench/fields.h"

namespace lento::desk {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::vector<std::string> split_commas(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool is_quoted = false;
  for (size_t i = 0; i < line.size() && fields.size() < kMostFields; ++i) {
    if (line[i] == '"') {
      const bool is_doubled = is_quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (is_doubled)
        field += line[i++];
      else
        is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      fields.push_back(trimmed(field));
      field.clear();
    } else {
      field += line[i];
    }
  }
  fields.push_back(trimmed(field));
  return fields;
}

std::vector<std::string> split_blanks(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size() && words.size() < kMostFields;) {
    while (at < line.size() && is_blank(line[at]))
      ++at;
    size_t end = at;
    while (end < line.size() && !is_blank(line[end]))
      ++end;
    if (end > at)
      words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> split_columns(std::string_view line) {
  std::vector<std::string> columns;
  const std::string text = trimmed(line);
  for (size_t at = 0; at < text.size() && columns.size() < kMostFields;) {
    size_t end = text.find("  ", at);
    if (end == text.npos)
      end = text.size();
    columns.push_back(trimmed(std::string_view(text).substr(at, end - at)));
    at = end;
    while (at < text.size() && is_blank(text[at]))
      ++at;
  }
  return columns;
}

int find_field(const std::vector<std::string>& fields, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view name : names) {
      const std::string_view field = fields[i];
      if (field == name ||
          (field.starts_with(name) && (field[name.size()] == ' ' || field[name.size()] == '(')))
        return int(i);
    }
  }
  return -1;
}

double seconds_in(std::string_view unit) {
  for (const std::string_view end : {"econds", "econd", "ec"})
    if (unit.ends_with(end))
      unit.remove_suffix(end.size());
  if (unit == "ns")
    return 1e-9;
  if (unit == "us" || unit == "\xce\xbcs" || unit == "\xc2\xb5s")
    return 1e-6;
  if (unit == "ms")
    return 1e-3;
  return unit == "s" ? 1 : 0;
}

std::vector<std::string_view> first_lines(std::string_view head, size_t most) {
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < most) {
    const size_t end = head.find('\n');
    lines.push_back(head.substr(0, end));
    if (end == head.npos)
      break;
    head.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace lento::desk
