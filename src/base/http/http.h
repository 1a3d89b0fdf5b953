// The only HTTP wrapper: requests with credentials, TLS and the usual proxy variables, and a bounded
// asynchronous server. The server does not do TLS, a reverse proxy in front of it does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/head.h"

namespace lento::base {

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::string type = "application/octet-stream";
  // Only answers of our server use the members below.
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
// the address is malformed or the body exceeds the limit. A status other than 200 is returned as a value.
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

// Sends one request with credentials and TLS, through the proxy named by http_proxy, https_proxy, all_proxy
// and no_proxy. Throws Error as http_get does. A status other than 200 is returned as a value.
HttpReply http_request(const HttpRequest& request, const HttpOptions& options = {});

// Keeps letters, digits, '_', '.' and '-' and writes every other byte as %XX. The result is safe in a URL and
// in a file name.
std::string percent_encoded(std::string_view text);

// Removes the password from an address, so that it may be shown and stored.
std::string without_password(const std::string& url);

struct HttpServerLimits {
  int connections = 1024;  // one more closes the one that has been silent longest
  unsigned threads = 4;    // that call the handler
  double head_s = 10;      // a request must have come within this time, and an idle connection asks again
  double answer_s = 60;    // an answer must have been taken
  size_t head_bytes = 8192;
};

// Answers GET and HEAD requests until stop() or destruction. One thread moves the bytes of all connections,
// so that a slow client costs memory and never a thread. A few other threads call `handler`. When bound to a
// loopback address, the server answers only to loopback names in the Host header (else 421), which defeats
// DNS rebinding.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpQuestion& question)>;

  // `host` is an IP address or localhost. Port 0 takes a free port. Throws Error when the address cannot be
  // bound.
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
