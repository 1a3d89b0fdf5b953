// Implements the client half of http.h with libcurl, which brings TLS and reads the proxy variables.
//
// libcurl is loaded at the first request instead of at program start. With its dependencies it is 28 of 46
// libraries and 18 packages, and only few commands contact a server.
#include <curl/curl.h>
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/http/http.h"
#include "base/interrupt.h"

namespace lento::base {
namespace {

constexpr long kReceive = 512 << 10;        // bytes at a time: answers of a store are megabytes
constexpr curl_off_t kLarge = 64 << 10;     // bytes: an answer that may come in many pieces
constexpr curl_off_t kGathered = 64 << 10;  // bytes at once: worth waking for
constexpr std::chrono::milliseconds kGather{4};

// The functions of libcurl in use, with the types of its header.
struct Curl {
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_easy_init) easy_init = nullptr;
  decltype(&::curl_easy_setopt) setopt = nullptr;
  decltype(&::curl_easy_perform) perform = nullptr;
  decltype(&::curl_easy_getinfo) getinfo = nullptr;
  decltype(&::curl_easy_strerror) strerror = nullptr;
  decltype(&::curl_easy_cleanup) cleanup = nullptr;
  decltype(&::curl_slist_append) append = nullptr;
  decltype(&::curl_slist_free_all) free_all = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Returns empty functions when no libcurl is installed, or one that lacks a function.
Curl load_curl() {
  void* library = nullptr;
  constexpr std::array kNames = {"libcurl.so.4", "libcurl-gnutls.so.4"};
  for (const char* name : kNames) {
    if (!library)
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  Curl curl;
  const bool whole =
      library && find(library, "curl_global_init", curl.global_init) &&
      find(library, "curl_easy_init", curl.easy_init) && find(library, "curl_easy_setopt", curl.setopt) &&
      find(library, "curl_easy_perform", curl.perform) && find(library, "curl_easy_getinfo", curl.getinfo) &&
      find(library, "curl_easy_strerror", curl.strerror) &&
      find(library, "curl_easy_cleanup", curl.cleanup) && find(library, "curl_slist_append", curl.append) &&
      find(library, "curl_slist_free_all", curl.free_all);
  if (!whole)
    return {};
  curl.global_init(CURL_GLOBAL_DEFAULT);
  return curl;
}

// Returns libcurl, loaded on first use. Throws base::Error with the address when it is not installed.
const Curl& curl_for(const std::string& shown) {
  static const Curl curl = load_curl();
  if (!curl.easy_init)
    throw Error({shown}, "cannot be asked: libcurl is not installed", "on Debian: apt install libcurl4");
  return curl;
}

struct Sink {
  std::string body;
  uint64_t limit = 0;
  bool too_large = false;
};

// Takes received bytes for libcurl. Returns 0, which aborts the transfer, when the reply is too large.
size_t take(char* data, size_t, size_t size, void* to) {
  Sink& sink = *static_cast<Sink*>(to);
  if (sink.body.size() + size > sink.limit) {
    sink.too_large = true;
    return 0;
  }
  sink.body.append(data, size);
  return size;
}

// A store sends a large answer in thousands of small pieces, and each wakes this thread. Once an answer is
// large, the callback sleeps for kGather, so that several pieces arrive together. libcurl calls it between
// two waits.
struct Pace {
  curl_off_t seen = 0;
};

// Returns 1, which aborts the transfer, when the user stopped. Sleeps during large transfers, so that they
// arrive in large parts.
int pace(void* to, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
  if (interrupted())
    return 1;
  Pace& p = *static_cast<Pace*>(to);
  const curl_off_t fresh = received - p.seen;
  p.seen = received;
  if (received >= kLarge && fresh > 0 && fresh < kGathered)
    std::this_thread::sleep_for(kGather);
  return 0;
}

// Sets credentials and certificates.
void set_security(const Curl& curl, CURL* c, const HttpOptions& o) {
  const auto text = [&](CURLoption option, const std::string& value) {
    if (!value.empty())
      curl.setopt(c, option, value.c_str());
  };
  text(CURLOPT_XOAUTH2_BEARER, o.bearer_token);
  if (!o.bearer_token.empty())
    curl.setopt(c, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
  text(CURLOPT_USERNAME, o.user);
  text(CURLOPT_PASSWORD, o.password);
  text(CURLOPT_CAINFO, o.ca_file);
  text(CURLOPT_SSLCERT, o.cert_file);
  text(CURLOPT_SSLKEY, o.key_file);
}

}  // namespace

HttpReply http_request(const HttpRequest& request, const HttpOptions& options) {
  const std::string shown = without_password(request.url);
  const Curl& curl = curl_for(shown);
  const std::unique_ptr<CURL, decltype(curl.cleanup)> session(curl.easy_init(), curl.cleanup);
  if (!session)
    throw Error({shown}, "the HTTP client could not start");
  std::unique_ptr<curl_slist, decltype(curl.free_all)> headers(nullptr, curl.free_all);
  std::vector<std::string> all = request.headers;
  all.insert(all.end(), options.headers.begin(), options.headers.end());
  for (const std::string& h : all)
    headers.reset(curl.append(headers.release(), h.c_str()));
  Pace waiting;
  Sink sink;
  sink.limit = options.limits.max_bytes;
  CURL* c = session.get();
  curl.setopt(c, CURLOPT_URL, request.url.c_str());
  curl.setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.setopt(c, CURLOPT_NOSIGNAL, 1L);
  // The progress callback lets an interrupt by the user end the transfer at once.
  curl.setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl.setopt(c, CURLOPT_XFERINFOFUNCTION, pace);
  curl.setopt(c, CURLOPT_XFERINFODATA, &waiting);
  curl.setopt(c, CURLOPT_HTTPHEADER, headers.get());
  curl.setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(options.limits.timeout_s * 1000));
  curl.setopt(c, CURLOPT_BUFFERSIZE, kReceive);
  curl.setopt(c, CURLOPT_WRITEFUNCTION, take);
  curl.setopt(c, CURLOPT_WRITEDATA, &sink);
  if (request.method == "POST") {
    curl.setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl.setopt(c, CURLOPT_POSTFIELDS, request.body.data());
  }
  set_security(curl, c, options);
  const CURLcode code = curl.perform(c);
  if (sink.too_large) {
    throw Error(
        {shown},
        "the answer is larger than " + std::to_string(sink.limit) + " bytes",
        "ask for a shorter period");
  }
  if (code != CURLE_OK) {
    throw Error(
        {shown},
        curl.strerror(code),
        "check that the address is right and the server answers in time");
  }
  long status = 0;
  const char* type = nullptr;
  curl.getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  curl.getinfo(c, CURLINFO_CONTENT_TYPE, &type);
  return {int(status), std::move(sink.body), type ? type : ""};
}

HttpReply http_get(const std::string& url, const HttpLimits& limits) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    throw Error({}, "'" + without_password(url) + "' is not an address of the form http://host:port/path");
  HttpOptions options;
  options.limits = limits;
  return http_request({"GET", url, {}, {}}, options);
}

std::string without_password(const std::string& url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos)
    return url;
  const size_t host = scheme + 3;
  const size_t slash = url.find('/', host);
  const size_t at = url.substr(0, slash).rfind('@');
  if (at == std::string::npos || at < host)
    return url;
  const size_t colon = url.find(':', host);
  if (colon < at)
    return url.substr(0, colon) + ":..." + url.substr(at);
  return url;
}

std::string percent_encoded(std::string_view text) {
  constexpr const char* kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[uint8_t(c) >> 4], kHex[c & 15]};
    }
  }
  return out;
}

}  // namespace lento::base
