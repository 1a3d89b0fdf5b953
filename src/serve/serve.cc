#include "serve/serve.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "embedded/serve_files.h"
#include "finding/diff.h"
#include "report/report.h"
#include "serve/folder.h"
#include "serve/http.h"

namespace lento::serve {
namespace {

constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; "
    "frame-ancestors 'none'";
// A report is text from outside: it runs in an origin of its own, without reach to this server.
constexpr const char* kReportPolicy =
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:";

bool is_loopback(const std::string& host) { return host == "::1" || host.starts_with("127."); }

bool loopback_name(std::string host) {
  const bool bracketed = host.starts_with('[');
  const size_t colon = bracketed ? host.find("]:") : host.find(':');
  if (colon != std::string::npos) host.resize(bracketed ? colon + 1 : colon);
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

std::string new_token() {
  std::random_device source;  // the kernel's generator: a token must not follow from a seed
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", source(), source(), source(), source());
  return text;
}

// Takes the same time wherever the first difference lies.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[b.empty() ? 0 : i % b.size()]);
  return difference == 0 && !a.empty();
}

Reply html(std::string body, const char* policy) {
  return {200, "text/html; charset=utf-8", std::move(body), {}, policy};
}

}  // namespace

struct Server::Impl {
  explicit Impl(const Options& o)
      : options(o),
        folder(o.folder),
        token(is_loopback(o.host) ? o.token : (o.token.empty() ? new_token() : o.token)),
        listener(o.host, o.port, [this](const Request& request) { return guarded(request); }) {}

  Reply guarded(const Request& request) {
    if (is_loopback(options.host) && !loopback_name(request.host))
      return {403, "text/plain", "this server answers to loopback names only\n", {}, {}};
    const std::string given = request.bearer.empty() ? query_value(request.query, "token") : request.bearer;
    if (!token.empty() && !same_secret(given, token))
      return {401, "text/plain", "a token is needed: ?token=... or Authorization: Bearer\n", {}, {}};
    try {
      return route(request);
    } catch (const base::Error& e) {
      return {404, "text/plain; charset=utf-8", std::string(e.what()) + "\n", {}, {}};
    } catch (const std::exception&) {
      return {500, "text/plain", "this could not be answered\n", {}, {}};
    }
  }

  Reply route(const Request& request) {
    const std::string& path = request.path;
    if (path == "/") return html(page(), kPagePolicy);
    if (path == "/serve.js")
      return {200, "text/javascript; charset=utf-8", std::string(embedded::serve_files("serve.js")), {}, {}};
    if (path == "/api/diagnoses") return listing(request);
    if (path.starts_with("/api/diagnoses/"))
      return {200, "application/json", report::write_json(folder.open(path.substr(15))), {}, {}};
    if (path.starts_with("/report/"))
      return html(report::write_html(folder.open(path.substr(8))), kReportPolicy);
    if (path == "/diff") return html(report::write_html(difference(request)), kReportPolicy);
    return {404, "text/plain", "no such page\n", {}, {}};
  }

  // The script's address must carry the token, as every request does.
  std::string page() const {
    std::string text(embedded::serve_files("page.html"));
    if (token.empty()) return text;
    const std::string plain = "serve.js\"";
    return text.replace(text.find(plain), plain.size(), "serve.js?token=" + token + "\"");
  }

  Reply listing(const Request& request) {
    std::string body = folder.list();
    const std::string tag = "\"" + base::digest(body) + "\"";
    if (request.if_none_match == tag) return {304, "application/json", {}, tag, {}};
    return {200, "application/json", std::move(body), tag, {}};
  }

  finding::Diagnosis difference(const Request& request) const {
    const std::string a = query_value(request.query, "a"), b = query_value(request.query, "b");
    finding::Diagnosis d = finding::compare(folder.open(a), folder.open(b));
    d.command = "lento diff " + a + " " + b;
    return d;
  }

  Options options;
  Folder folder;
  std::string token;
  HttpListener listener;
  std::atomic<bool> stopping{false};
};

Server::Server(const Options& options) : impl_(std::make_unique<Impl>(options)) { impl_->listener.start(); }

Server::~Server() { impl_->listener.stop(); }

int Server::port() const { return impl_->listener.port(); }
const std::string& Server::token() const { return impl_->token; }

std::string Server::address() const {
  const std::string& host = impl_->options.host;
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return "http://" + shown + ":" + std::to_string(port()) + "/" +
         (token().empty() ? "" : "?token=" + token());
}

void Server::run(const base::Progress& progress) {
  while (!progress.stopped() && !impl_->stopping) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void Server::stop() { impl_->stopping = true; }

}  // namespace lento::serve
