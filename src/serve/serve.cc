// Routes requests of the web application to the folder of diagnoses. Reports contain text of foreign files,
// so they are sent with a policy that isolates them from this server. Pages are kept as long as their files
// do not change.
#include "serve/serve.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/http/http.h"
#include "embedded/serve_files.h"
#include "finding/diff.h"
#include "report/report.h"
#include "serve/folder.h"

namespace lento::serve {
namespace {

using base::HttpQuestion;

constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-src 'self'; "
    "frame-ancestors 'none'";
// A report contains text of foreign files. The sandbox gives it an origin of its own, so its scripts cannot
// reach this server.
constexpr const char* kReportPolicy =
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:";

// Compares two secrets in a time that does not depend on the place of the first difference.
bool same_secret(const std::string& a, const std::string& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[b.empty() ? 0 : i % b.size()]);
  return difference == 0 && !a.empty();
}

using Reply = base::HttpReply;

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kText = "text/plain; charset=utf-8";
constexpr uint64_t kMostCached = uint64_t{64} << 20;

Reply html(std::string body, const char* policy) {
  return {200, std::move(body), kHtml, {}, policy};
}

// Caches pages while their files do not change. A thousand readers of one report cost one rendering and share
// its bytes. A page is rendered outside the lock, so a large page delays only its own readers.
class Pages {
 public:
  using Make = std::function<std::string()>;
  using Bytes = std::shared_ptr<const std::string>;

  // Returns a page from the cache, or makes it. Concurrent requests wait for the same page.
  Bytes page(const std::string& name, const std::string& stamp, const Make& make) {
    std::promise<Bytes> promise;
    const Ready own = promise.get_future().share();
    const Ready ready = claim(name, stamp, own);
    if (ready.valid())
      return ready.get();
    try {
      promise.set_value(std::make_shared<const std::string>(make()));
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex_);
      pages_.erase(name);
    }
    count(own.get()->size());
    return own.get();
  }

 private:
  using Ready = std::shared_future<Bytes>;
  struct Page {
    std::string stamp;
    Ready ready;
  };

  // Returns the page that is cached or being rendered. Otherwise registers `own` as the page to come and
  // returns an invalid future.
  Ready claim(const std::string& name, const std::string& stamp, const Ready& own) {
    const std::lock_guard lock(mutex_);
    const auto known = pages_.find(name);
    if (known != pages_.end() && known->second.stamp == stamp)
      return known->second.ready;
    pages_[name] = {stamp, own};
    return {};
  }

  // Adds a page's bytes to the total and empties the cache when it exceeds kMostCached. A request that waits
  // for a page holds a reference to it.
  void count(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    held_ += bytes;
    if (held_ <= kMostCached)
      return;
    pages_.clear();
    held_ = 0;
  }

  std::mutex mutex_;
  std::map<std::string, Page> pages_;
  uint64_t held_ = 0;
};

}  // namespace

struct Server::Impl {
  explicit Impl(const ServeOptions& o)
      : options(o),
        folder(o.folder),
        listener(
            o.host,
            o.port,
            [this](const HttpQuestion& question) {
              return answer_checked(question);
            },
            limits()) {
    if (!listener.on_loopback() && o.token.empty()) {
      throw base::Error(
          {o.host},
          "can be reached from other machines: every request must carry a token",
          "write one into a file, --token-file FILE, or into the variable LENTO_TOKEN; or stay on "
          "127.0.0.1");
    }
  }

  // A large page holds a thread for seconds while it is rendered, so there are 16 threads.
  static base::HttpServerLimits limits() {
    base::HttpServerLimits limits;
    limits.threads = 16;
    return limits;
  }

  // Answers a request after checking the token.
  Reply answer_checked(const HttpQuestion& question) {
    const std::string given =
        question.bearer.empty() ? base::query_value(question.query, "token") : question.bearer;
    if (!options.token.empty() && !same_secret(given, options.token))
      return {401, "a token is needed: ?token=... or Authorization: Bearer\n", kText};
    try {
      return route(question);
    } catch (const base::Error& e) {
      return {404, std::string(e.what()) + "\n", kText};
    }
  }

  // Returns the reply for a path.
  Reply route(const HttpQuestion& question) {
    const std::string& path = question.path;
    if (path == "/")
      return html(compose_start_page(), kPagePolicy);
    if (path == "/serve.js")
      return {200, std::string(embedded::serve_files("serve.js")), "text/javascript; charset=utf-8"};
    if (path == "/api/diagnoses")
      return reply_with_list(question);
    if (path.starts_with("/api/diagnoses/"))
      return reply_with_json(path.substr(15));
    if (path.starts_with("/report/"))
      return reply_with_report(path.substr(8));
    if (path == "/diff")
      return html(report::write_html(compare_named(question)), kReportPolicy);
    return {404, "no such page\n", kText};
  }

  // Composes the start page. The address of its script must carry the token, as every request does.
  std::string compose_start_page() const {
    std::string text(embedded::serve_files("page.html"));
    const std::string place = "{{style}}";  // replaced by the style sheet of the reports
    text.replace(text.find(place), place.size(), embedded::serve_files("page.css"));
    if (options.token.empty())
      return text;
    const std::string plain = "serve.js\"";
    return text.replace(
        text.find(plain),
        plain.size(),
        "serve.js?token=" + base::percent_encoded(options.token) + "\"");
  }

  Reply reply_with_list(const HttpQuestion& question) {
    std::string body = folder.list();
    const std::string tag = "\"" + base::digest(body) + "\"";
    if (question.if_none_match == tag)
      return {304, {}, "application/json", tag};
    return {200, std::move(body), "application/json", tag};
  }

  Reply reply_with_json(const std::string& name) {
    Reply reply{200, {}, "application/json"};
    reply.shared_body = pages.page("json " + name, folder.stamp(name), [&] {
      return report::write_json(folder.open(name));
    });
    return reply;
  }

  Reply reply_with_report(const std::string& name) {
    Reply reply = html({}, kReportPolicy);
    reply.shared_body = pages.page("html " + name, folder.stamp(name), [&] {
      return report::write_html(folder.open(name));
    });
    return reply;
  }

  finding::Diagnosis compare_named(const HttpQuestion& question) const {
    const std::string a = base::query_value(question.query, "a");
    const std::string b = base::query_value(question.query, "b");
    finding::Diagnosis d = finding::compare(folder.open(a), folder.open(b));
    d.command = "lento diff " + a + " " + b;
    return d;
  }

  ServeOptions options;
  Folder folder;
  Pages pages;
  std::atomic<bool> stopping{false};
  base::HttpServer listener;  // last: its threads use the members above
};

Server::Server(const ServeOptions& options)
    : impl_(std::make_unique<Impl>(options)) {
}

Server::~Server() {
  impl_->listener.stop();
}

int Server::port() const {
  return impl_->listener.port();
}

std::string Server::address() const {
  const std::string& host = impl_->options.host;
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return "http://" + shown + ":" + std::to_string(port()) + "/";
}

void Server::run(const base::Progress& progress) {
  while (!progress.stopped() && !impl_->stopping)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void Server::stop() {
  impl_->stopping = true;
}

}  // namespace lento::serve
