// A bounded asynchronous HTTP/1.1 server (Boost.Beast): a slow connection costs a timer, never a thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace lento::serve {

struct Request {
  std::string path;    // decoded, starts with "/"
  std::string query;   // as sent, without "?"
  std::string host;    // the Host header
  std::string bearer;  // of "Authorization: Bearer ..."
  std::string if_none_match;
};

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string etag;
  std::string policy;  // Content-Security-Policy
};

using Handler = std::function<Reply(const Request&)>;  // called from several threads

class HttpListener {
 public:
  HttpListener(const std::string& host, int port, Handler handler);  // throws base::Error
  ~HttpListener();
  int port() const;
  void start();  // returns at once
  void stop();   // closes everything and joins

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The value of `key` in a query, percent-decoded; "" when absent.
std::string query_value(const std::string& query, const std::string& key);

}  // namespace lento::serve
