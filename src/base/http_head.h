// The head of an HTTP/1.1 request, read strictly: what two readers could take for different things is
// refused.
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

// `text` is what came so far; a head over `most` bytes is answered with 431. GET and HEAD without a body
// only.
HttpHead parse_http_head(std::string_view text, size_t most);

// %XX is decoded; in a query '+' is a space.
std::string percent_decoded(std::string_view text, bool plus_is_space);

// The value of `key` in a query, decoded; "" when absent.
std::string query_value(std::string_view query, std::string_view key);

// True when a Host header names this machine's loopback: "localhost", "127.x.y.z" or "[::1]", with or without
// a port, and nothing else ("127.0.0.1.example.org", "localhost:80@example.org").
bool is_loopback_host(std::string_view host);

}  // namespace lento::base
