#include "base/http.h"

#include <httplib.h>

#include <thread>

#include "base/error.h"

namespace lento::base {
namespace {

// "http://host:port" and "/path?query".
std::pair<std::string, std::string> split_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (url.compare(0, kScheme.size(), kScheme) != 0) {
    throw Error({}, "'" + url + "' is not an address of the form http://host:port/path");
  }
  const size_t slash = url.find('/', kScheme.size());
  if (slash == std::string::npos) return {url, "/"};
  return {url.substr(0, slash), url.substr(slash)};
}

}  // namespace

HttpReply http_get(const std::string& url, const HttpLimits& limits) {
  const auto [host, path] = split_url(url);
  httplib::Client client(host);
  if (!client.is_valid()) throw Error({}, "'" + url + "' names no host");
  const auto microseconds = std::chrono::microseconds(static_cast<int64_t>(limits.timeout_s * 1e6));
  client.set_connection_timeout(microseconds);
  client.set_read_timeout(microseconds);
  HttpReply reply;
  bool too_large = false;
  const auto result = client.Get(
      path, [&](const httplib::Response& head) { return reply.status = head.status, true; },
      [&](const char* data, size_t size) {
        too_large = reply.body.size() + size > limits.max_bytes;
        if (!too_large) reply.body.append(data, size);
        return !too_large;
      });
  if (too_large)
    throw Error({url}, "the answer is larger than " + std::to_string(limits.max_bytes) + " bytes");
  if (!result) throw Error({url}, "no answer: " + httplib::to_string(result.error()));
  reply.type = result->get_header_value("Content-Type");
  return reply;
}

struct HttpServer::Impl {
  httplib::Server server;
  std::thread thread;
  int port = 0;
};

HttpServer::HttpServer(const std::string& host, int port, Handler handler) : impl_(std::make_unique<Impl>()) {
  impl_->server.new_task_queue = [] { return new httplib::ThreadPool(4); };
  impl_->server.set_payload_max_length(1 << 16);
  impl_->server.set_keep_alive_max_count(1);  // a client that keeps its connection must not keep a thread
  impl_->server.Get(".*", [handler = std::move(handler)](const httplib::Request& in, httplib::Response& out) {
    const size_t question = in.target.find('?');
    HttpReply reply;
    try {
      reply = handler(in.path, question == std::string::npos ? "" : in.target.substr(question + 1));
    } catch (const Error& error) {
      reply = {400, std::string(error.what()) + "\n", "text/plain"};
    }
    out.status = reply.status;
    out.set_content(std::move(reply.body), reply.type);
  });
  impl_->port = port == 0 ? impl_->server.bind_to_any_port(host) : port;
  if (impl_->port <= 0 || (port != 0 && !impl_->server.bind_to_port(host, port))) {
    throw Error({}, "cannot listen on " + host + ":" + std::to_string(port),
                "is another program using the port?");
  }
  impl_->thread = std::thread([this] { impl_->server.listen_after_bind(); });
  // stop() works only on a server that runs.
  while (!impl_->server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return impl_->port; }

void HttpServer::stop() {
  impl_->server.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace lento::base
