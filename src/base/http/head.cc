// Parses the head of an HTTP/1.1 request. The server faces browsers and port scanners, so the parser accepts
// only the grammar below (RFC 9112 without folded lines) and maps every deviation to a status.
//   head    = method SP target SP "HTTP/1." DIGIT CRLF *(name ":" OWS value OWS CRLF) CRLF
//   target  = "/" path ["?" query]
#include "base/http/head.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/number.h"

namespace lento::base {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) {
    return std::tolower(c);
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(char(c)) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) {
    return (c < 32 && c != '\t') || c == 127;
  });
}

// Takes the next line without its CRLF. Returns false when it contains a lone CR or LF.
bool next_line(std::string_view& rest, std::string_view& line) {
  const size_t end = rest.find("\r\n");
  line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 2, rest.size()));
  return line.find_first_of("\r\n") == std::string_view::npos;
}

// Parses the first line of a request. Returns 0, or the HTTP status to refuse it with.
int parse_request_line(std::string_view line, HttpQuestion& q) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return 400;
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return version.starts_with("HTTP/") ? 505 : 400;
  if (!is_name(method) || has_control(target) || target.find(' ') != std::string_view::npos)
    return 400;
  if (!target.starts_with('/'))
    return 400;
  const size_t mark = target.find('?');
  q.path = percent_decoded(target.substr(0, mark), false);
  q.query = mark == std::string_view::npos ? "" : std::string(target.substr(mark + 1));
  q.head_only = method == "HEAD";
  q.keep_alive = version == "HTTP/1.1";
  if (method == "GET" || q.head_only)
    return 200;
  return 405;
}

struct FieldCounts {
  int hosts = 0;
  bool body = false;
};

// Parses a header field. Returns 0, or the HTTP status to refuse the request with.
int parse_field(std::string_view line, HttpQuestion& q, FieldCounts& counts) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_name(line.substr(0, colon)))
    return 400;
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (has_control(value))
    return 400;
  if (name == "host") {
    q.host = value;
    ++counts.hosts;
  } else if (name == "connection") {
    const std::string wish = lower(value);
    if (wish.find("close") != std::string::npos)
      q.keep_alive = false;
  } else if (name == "if-none-match") {
    q.if_none_match = value;
  } else if (name == "authorization" && lower(value.substr(0, 7)) == "bearer ") {
    q.bearer = trimmed(value.substr(7));
  } else if (name == "transfer-encoding") {
    counts.body = true;
  } else if (name == "content-length") {
    const auto size = try_uint(value);
    if (!size)
      return 400;
    counts.body = counts.body || *size > 0;
  }
  return 200;
}

}  // namespace

HttpHead parse_http_head(std::string_view text, size_t most) {
  HttpHead head;
  const size_t end = text.substr(0, most + 4).find("\r\n\r\n");
  if (end == std::string_view::npos || end > most) {
    head.status = text.size() > most ? 431 : 0;
    return head;
  }
  head.size = end + 4;
  std::string_view rest = text.substr(0, end + 2);
  std::string_view line;
  FieldCounts counts;
  head.status = next_line(rest, line) ? parse_request_line(line, head.question) : 400;
  // A refused method may come with a body, and 413 is then the more useful status, so the fields are read
  // too.
  while (!rest.empty() && (head.status == 200 || head.status == 405)) {
    const bool whole = next_line(rest, line);
    const int status = whole ? parse_field(line, head.question, counts) : 400;
    if (status != 200)
      head.status = status;
  }
  if (head.status == 200 && counts.hosts != 1 && (counts.hosts > 1 || head.question.keep_alive))
    head.status = 400;
  if (counts.body && (head.status == 200 || head.status == 405))
    head.status = 413;
  return head;
}

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    if (escape) {
      out += char(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == key)
      return percent_decoded(part.substr(equals + 1), true);
  }
  return {};
}

bool is_loopback_host(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const size_t colon = host.find(':', bracketed ? std::min(host.find(']'), host.size()) : 0);
  if (colon != std::string_view::npos) {
    const auto port = try_uint(host.substr(colon + 1));
    if (!port || *port > 65535)
      return false;
    host = host.substr(0, colon);
  }
  if (bracketed)
    return host == "[::1]";
  if (lower(host) == "localhost")
    return true;
  // An IPv4 address of the loopback network has four numbers, the first of which is 127.
  std::array<uint64_t, 4> parts{};
  size_t at = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t end = i + 1 < parts.size() ? host.find('.', at) : host.size();
    if (end == std::string_view::npos)
      return false;
    const auto number = try_uint(host.substr(at, end - at));
    if (!number || *number > 255 || end - at > 3)
      return false;
    parts[i] = *number;
    at = end + 1;
  }
  return parts[0] == 127;
}

}  // namespace lento::base
