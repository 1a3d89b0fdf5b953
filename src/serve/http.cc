#include "serve/http.h"

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"

namespace lento::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr int kMostConnections = 2048;
constexpr auto kReadTime = std::chrono::seconds(10);
constexpr auto kWriteTime = std::chrono::seconds(60);
constexpr unsigned kThreads = 4;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string text_of(beast::string_view view) { return std::string(view.data(), view.size()); }

// One connection: read a head, answer, repeat while the client keeps it alive. Lives as long as a pending
// operation holds it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const Handler& handler, std::atomic<int>& live)
      : stream_(std::move(socket)), handler_(handler), live_(live) {
    ++live_;
  }
  ~Session() { --live_; }

  void read() {
    parser_.emplace();
    parser_->header_limit(8192);
    parser_->body_limit(std::uint64_t{0});
    stream_.expires_after(kReadTime);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code code, size_t) { self->on_read(code); });
  }

 private:
  void on_read(beast::error_code code) {
    if (code == http::error::body_limit)
      return answer({413, "text/plain", "bodies are not accepted\n", {}, {}}, false);
    if (code == http::error::header_limit)
      return answer({431, "text/plain", "header too large\n", {}, {}}, false);
    if (code) return;  // closed, timed out or not HTTP
    const auto& request = parser_->get();
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return answer({405, "text/plain", "only GET is answered\n", {}, {}}, false);
    }
    const std::string target = text_of(request.target());
    const size_t mark = target.find('?');
    Request asked;
    asked.path = percent_decoded(target.substr(0, mark));
    asked.query = mark == std::string::npos ? "" : target.substr(mark + 1);
    asked.host = text_of(request[http::field::host]);
    asked.if_none_match = text_of(request[http::field::if_none_match]);
    const std::string authorization = text_of(request[http::field::authorization]);
    if (authorization.starts_with("Bearer ")) asked.bearer = authorization.substr(7);
    answer(handler_(asked), request.keep_alive());
  }

  void answer(Reply reply, bool keep_alive) {
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(reply.status));
    response_.set(http::field::content_type, reply.type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    if (!reply.policy.empty()) response_.set("Content-Security-Policy", reply.policy);
    if (!reply.etag.empty()) response_.set(http::field::etag, reply.etag);
    response_.keep_alive(keep_alive);
    response_.content_length(reply.body.size());
    if (parser_->get().method() != http::verb::head) response_.body() = std::move(reply.body);
    stream_.expires_after(kWriteTime);
    http::async_write(stream_, response_,
                      [self = shared_from_this(), keep_alive](beast::error_code code, size_t) {
                        if (code) return;
                        if (keep_alive) return self->read();
                        beast::error_code ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                      });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{16384};
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  const Handler& handler_;
  std::atomic<int>& live_;
};

}  // namespace

struct HttpListener::Impl {
  asio::io_context io{static_cast<int>(kThreads)};
  tcp::acceptor acceptor{io};
  Handler handler;
  std::atomic<int> live{0};
  std::vector<std::thread> threads;

  void accept() {
    acceptor.async_accept(asio::make_strand(io), [this](beast::error_code code, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (!code && live < kMostConnections)
        std::make_shared<Session>(std::move(socket), handler, live)->read();
      accept();  // a connection over the limit is closed by leaving it
    });
  }
};

HttpListener::HttpListener(const std::string& host, int port, Handler handler)
    : impl_(std::make_unique<Impl>()) {
  impl_->handler = std::move(handler);
  beast::error_code code;
  const auto address = asio::ip::make_address(host, code);
  if (code)
    throw base::Error({host}, "is not an IP address", "use 127.0.0.1, ::1 or an address of this machine");
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
  const auto check = [&](const char* what) {
    if (code)
      throw base::Error({host + ":" + std::to_string(port)}, std::string(what) + ": " + code.message(),
                        "another program may hold it; choose another --port");
  };
  impl_->acceptor.open(endpoint.protocol(), code);
  check("cannot open");
  impl_->acceptor.set_option(asio::socket_base::reuse_address(true), code);
  impl_->acceptor.bind(endpoint, code);
  check("cannot bind");
  impl_->acceptor.listen(asio::socket_base::max_listen_connections, code);
  check("cannot listen");
}

HttpListener::~HttpListener() { stop(); }

int HttpListener::port() const { return impl_->acceptor.local_endpoint().port(); }

void HttpListener::start() {
  impl_->accept();
  for (unsigned i = 0; i < kThreads; ++i) impl_->threads.emplace_back([this] { impl_->io.run(); });
}

void HttpListener::stop() {
  impl_->io.stop();
  for (auto& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

std::string query_value(const std::string& query, const std::string& key) {
  size_t at = 0;
  while (at <= query.size()) {
    const size_t end = std::min(query.find('&', at), query.size());
    const std::string part = query.substr(at, end - at);
    const size_t equals = part.find('=');
    if (equals != std::string::npos && part.compare(0, equals, key) == 0)
      return percent_decoded(std::string_view(part).substr(equals + 1));
    at = end + 1;
  }
  return {};
}

}  // namespace lento::serve
