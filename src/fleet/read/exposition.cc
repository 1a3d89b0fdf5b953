// Parses exposition text, one sample per line:
//   line   = name [ "{" [ label { "," label } [","] ] "}" ] " " value [ " " timestamp ] [ exemplar ]
//   label  = name "=" '"' { char | "\\" | "\"" | "\n" } '"'
#include "fleet/read/exposition.h"

namespace lento::fleet {
namespace {

bool metric_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

// Takes the metric name from the beginning of the text.
std::string_view take_name(std::string_view& text) {
  size_t n = 0;
  while (n < text.size() && metric_name_char(text[n]))
    ++n;
  const std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c)
    return false;
  text.remove_prefix(1);
  return true;
}

// Takes a quoted label value with its escapes. Returns false when the quote does not end.
bool take_quoted(std::string_view& text, std::string& out) {
  if (!take(text, '"'))
    return false;
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\') {
      text.remove_prefix(1);
      if (text.empty())
        return false;
      out += text.front() == 'n' ? '\n' : text.front();
    } else {
      out += text.front();
    }
    text.remove_prefix(1);
  }
  return take(text, '"');
}

void skip_blanks(std::string_view& text) {
  while (take(text, ' ')) {
  }
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

bool parse_exposition(std::string_view text, ExpositionSample& out) {
  out.labels.clear();
  out.name = take_name(text);
  if (out.name.empty())
    return false;
  if (take(text, '{')) {
    skip_blanks(text);
    while (!take(text, '}')) {
      const std::string_view key = take_name(text);
      std::string value;
      if (key.empty() || !take(text, '=') || !take_quoted(text, value))
        return false;
      out.labels.emplace_back(key, std::move(value));
      if (out.labels.size() > 128)
        return false;
      const bool more = take(text, ',');
      skip_blanks(text);
      if (!more && (text.empty() || text.front() != '}'))
        return false;
    }
  }
  out.value = take_word(text);
  out.time = take_word(text);
  return !out.value.empty();
}

}  // namespace lento::fleet
