// Copies a line and masks the values after names of secrets, and words that look like secrets. It masks
// rather too much than too little, because quoted lines are shown to strangers.
#include "desk/read/mask.h"

#include <array>

#include "base/visible.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 10> kNames{
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "credential",
    "credentials",
    "authorization",
    "cookie"};
constexpr std::array<std::string_view, 14> kPrefixes{
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "hf_",
    "sk-",
    "xoxb-",
    "xoxp-",
    "nvapi-",
    "eyJ"};
// The smallest number of characters behind the prefix of an access token. A shorter word ("hf_home") is no
// token.
constexpr size_t kShortestToken = 12;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

// Returns whether the last part of a name announces a secret: "AWS_SECRET_ACCESS_KEY", "api-key", "hfToken".
bool names_secret(std::string_view word) {
  std::string small;
  for (const char c : word)
    small += lower(c);
  for (const std::string_view name : kNames) {
    if (!small.ends_with(name))
      continue;
    const size_t before = small.size() - name.size();
    if (before == 0 || small[before - 1] == '_' || small[before - 1] == '-' ||
        word[before] != small[before] || small.ends_with("apikey") || small.ends_with("accesstoken"))
      return true;
  }
  return false;
}

bool is_token(std::string_view word) {
  for (const std::string_view prefix : kPrefixes)
    if (word.starts_with(prefix) && word.size() >= prefix.size() + kShortestToken)
      return true;
  return false;
}

// Returns the end of a secret's value: a blank, a quote, a comma or the end of the line.
size_t end_of_value(std::string_view line, size_t at) {
  constexpr std::string_view kEnds = " \t,;\"')}]&";
  const size_t end = line.find_first_of(kEnds, at);
  return end == line.npos ? line.size() : end;
}

// Skips the separator between a name and its value. Returns npos when no value follows.
size_t begin_of_value(std::string_view line, size_t at, bool is_option) {
  size_t begin = at;
  if (begin < line.size() && (line[begin] == '"' || line[begin] == '\''))
    ++begin;
  const bool assigned = begin < line.size() && (line[begin] == '=' || line[begin] == ':');
  if (!assigned && !is_option)
    return line.npos;
  if (assigned)
    ++begin;
  while (begin < line.size() && (line[begin] == ' ' || line[begin] == '"' || line[begin] == '\''))
    ++begin;
  for (const std::string_view scheme : {"Bearer ", "bearer ", "Basic "})
    if (line.substr(begin).starts_with(scheme))
      begin += scheme.size();
  return begin < line.size() ? begin : line.npos;
}

// Returns the size of USER:PASSWORD before an "@" in an address, or 0. `rest` begins behind "://".
size_t credentials_size(std::string_view rest) {
  const size_t end = rest.find_first_of("/ \t\"'");
  const std::string_view authority = rest.substr(0, end);
  const size_t at = authority.rfind('@');
  return at == authority.npos ? 0 : at;
}

}  // namespace

std::string masked(std::string_view line, size_t longest, size_t* count) {
  std::string out;
  size_t hidden = 0;
  const std::string_view piece = line.substr(0, longest);
  for (size_t at = 0; at < piece.size();) {
    if (piece.substr(at).starts_with("://")) {
      out += "://";
      at += 3;
      // The whole line is searched, because the "@" behind the credentials may lie beyond `longest` bytes.
      if (const size_t size = credentials_size(line.substr(at)); size > 0) {
        out += "***";
        at += size;
        ++hidden;
      }
      continue;
    }
    if (!is_word(piece[at])) {
      out += piece[at++];
      continue;
    }
    size_t end = at;
    while (end < piece.size() && is_word(piece[end]))
      ++end;
    const std::string_view word = piece.substr(at, end - at);
    if (is_token(word)) {
      out += "***";
      ++hidden;
      at = end;
      continue;
    }
    out += word;
    const size_t begin = names_secret(word) ? begin_of_value(piece, end, word.starts_with("--")) : piece.npos;
    at = end;
    if (begin != piece.npos) {
      out += piece.substr(end, begin - end);
      out += "***";
      ++hidden;
      at = end_of_value(piece, begin);
    }
  }
  if (line.find("PRIVATE KEY-----") != line.npos)
    out = "***";
  if (line.size() > longest)
    out += " ...";
  if (count)
    *count += hidden;
  return base::visible(out);
}

}  // namespace lento::desk
