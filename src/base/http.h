// The one HTTP wrapper: a bounded GET, requests with credentials and TLS, and a small server (plain HTTP;
// put a proxy in front for TLS).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lento::base {

struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/octet-stream";
};

struct HttpLimits {
  double timeout_s = 10;
  uint64_t max_bytes = uint64_t{64} << 20;
};

// Fetches "http://host:port/path?query". Throws Error when the server cannot be reached in time, the address
// is not understood or the body is larger than the limit. A status that is not 200 is a value.
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
  std::string user, password;                // basic authentication
  std::string ca_file, cert_file, key_file;  // TLS: trusted CA, own certificate and key
};

// One request with credentials and TLS. Throws Error as http_get does; a status is a value.
HttpReply http_request(const HttpRequest& request, const HttpOptions& options = {});

// Letters, digits, '_', '.' and '-' as they are, every other byte as %XX: safe in a URL and in a file name.
std::string percent_encoded(std::string_view text);

// Answers GET requests until stop() or destruction. `handler` gets the decoded path and query
// ("/head", "a=1&b=2") and is called from several threads.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const std::string& path, const std::string& query)>;

  // Port 0 takes a free one. Throws Error when the address cannot be bound.
  HttpServer(const std::string& host, int port, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lento::base
