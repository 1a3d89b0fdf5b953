// The one HTTP wrapper: requests with credentials, TLS and the usual proxy variables, and a bounded
// asynchronous server (plain HTTP; put a proxy in front for TLS).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/http_head.h"

namespace lento::base {

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::string type = "application/octet-stream";
  // Of the server's answers only:
  std::string etag = {};
  std::string policy = {};  // Content-Security-Policy
  std::shared_ptr<const std::string> shared_body =
      {};  // in place of `body`, for an answer that many may ask for
};

struct HttpLimits {
  double timeout_s = 10;
  uint64_t max_bytes = uint64_t{64} << 20;
};

// Fetches "http://host:port/path?query" (or https). Throws Error when the server cannot be reached in time,
// the address is not understood or the body is larger than the limit. A status that is not 200 is a value.
HttpReply http_get(const std::string& url, const HttpLimits& limits = {});

struct HttpRequest {
  std::string method = "GET";        // or POST
  std::string url;                   // http:// or https://
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
};

struct HttpOptions {
  HttpLimits limits{30, uint64_t{1} << 30};
  std::vector<std::string> headers;  // sent with every request
  std::string bearer_token;
  // basic authentication
  std::string user;
  std::string password;
  // TLS: trusted CA, own certificate and key
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
};

// One request with credentials and TLS, through the proxy that http_proxy, https_proxy, all_proxy and
// no_proxy name. Throws Error as http_get does; a status is a value.
HttpReply http_request(const HttpRequest& request, const HttpOptions& options = {});

// Letters, digits, '_', '.' and '-' as they are, every other byte as %XX: safe in a URL and in a file name.
std::string percent_encoded(std::string_view text);

// An address as it may be shown and stored: a password in it is left out.
std::string without_password(const std::string& url);

struct HttpServerLimits {
  int connections = 1024;  // one more closes the one that has been silent longest
  unsigned threads = 4;    // that call the handler
  double head_s = 10;      // a request must have come within this time, and an idle connection asks again
  double answer_s = 60;    // an answer must have been taken
  size_t head_bytes = 8192;
};

// Answers GET and HEAD requests until stop() or destruction. One thread moves the bytes of all connections,
// so that a slow client costs memory and never a thread; `handler` is called from a few others. Bound to a
// loopback address, it answers only to loopback names in the Host header (else 421).
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpQuestion& question)>;

  // `host` is an IP address or localhost; port 0 takes a free one. Throws Error when it cannot be bound.
  HttpServer(const std::string& host, int port, Handler handler, const HttpServerLimits& limits = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  bool on_loopback() const;
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lento::base
