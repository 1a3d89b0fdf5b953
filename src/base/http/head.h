// Reads the head of an HTTP/1.1 request strictly. A head that a proxy and this server could interpret
// differently is refused, because request smuggling needs such a difference.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lento::base {

struct HttpQuestion {
  bool head_only = false;  // HEAD
  std::string path;        // decoded, starts with "/"
  std::string query;       // as sent, without "?"
  std::string host;        // the Host header
  std::string bearer;      // of "Authorization: Bearer ..."
  std::string if_none_match;
  bool keep_alive = true;
};

struct HttpHead {
  int status = 0;   // 0: more bytes are needed; 200: `question` is whole; else what to answer
  size_t size = 0;  // bytes of `text` that belong to it
  HttpQuestion question;
};

// Parses the bytes received so far. A head over `most` bytes yields 431. Only GET and HEAD without a body are
// accepted.
HttpHead parse_http_head(std::string_view text, size_t most);

// Decodes %XX, and '+' as a space where `plus_is_space` (in a query).
std::string percent_decoded(std::string_view text, bool plus_is_space);

// Returns the decoded value of `key` in a query, or "" when it is absent.
std::string query_value(std::string_view query, std::string_view key);

// True when a Host header names the loopback of this machine: "localhost", "127.x.y.z" or "[::1]", with or
// without a port. Lookalikes such as "127.0.0.1.example.org" and "localhost:80@example.org" are refused.
bool is_loopback_host(std::string_view host);

}  // namespace lento::base
