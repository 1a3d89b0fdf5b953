// The client half of http.h: libcurl, which brings TLS and reads the proxy variables.
#include <curl/curl.h>

#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/http.h"
#include "base/interrupt.h"

namespace lento::base {
namespace {

struct Sink {
  std::string body;
  uint64_t limit = 0;
  bool too_large = false;
};

size_t take(char* data, size_t, size_t size, void* to) {
  Sink& sink = *static_cast<Sink*>(to);
  if (sink.body.size() + size > sink.limit) {
    sink.too_large = true;
    return 0;
  }
  sink.body.append(data, size);
  return size;
}

int give_up(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupted() ? 1 : 0;
}

struct Freed {
  void operator()(CURL* c) const {
    curl_easy_cleanup(c);
  }
  void operator()(curl_slist* l) const {
    curl_slist_free_all(l);
  }
};

void set_security(CURL* curl, const HttpOptions& o) {
  const auto text = [&](CURLoption option, const std::string& value) {
    if (!value.empty())
      curl_easy_setopt(curl, option, value.c_str());
  };
  text(CURLOPT_XOAUTH2_BEARER, o.bearer_token);
  if (!o.bearer_token.empty())
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
  text(CURLOPT_USERNAME, o.user);
  text(CURLOPT_PASSWORD, o.password);
  text(CURLOPT_CAINFO, o.ca_file);
  text(CURLOPT_SSLCERT, o.cert_file);
  text(CURLOPT_SSLKEY, o.key_file);
}

}  // namespace

HttpReply http_request(const HttpRequest& request, const HttpOptions& options) {
  static std::once_flag once;
  std::call_once(once, [] {
    curl_global_init(CURL_GLOBAL_DEFAULT);
  });
  const std::unique_ptr<CURL, Freed> curl(curl_easy_init());
  const std::string shown = without_password(request.url);
  if (!curl)
    throw Error({shown}, "the HTTP client could not start");
  std::unique_ptr<curl_slist, Freed> headers;
  std::vector<std::string> all = request.headers;
  all.insert(all.end(), options.headers.begin(), options.headers.end());
  for (const std::string& h : all)
    headers.reset(curl_slist_append(headers.release(), h.c_str()));
  Sink sink;
  sink.limit = options.limits.max_bytes;
  CURL* c = curl.get();
  curl_easy_setopt(c, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  // Whoever stops the program does not wait for an answer.
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, give_up);
  curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(options.limits.timeout_s * 1000));
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, &sink);
  if (request.method == "POST") {
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, request.body.data());
  }
  set_security(c, options);
  const CURLcode code = curl_easy_perform(c);
  if (sink.too_large) {
    throw Error(
        {shown},
        "the answer is larger than " + std::to_string(sink.limit) + " bytes",
        "ask for a shorter period");
  }
  if (code != CURLE_OK) {
    throw Error(
        {shown},
        curl_easy_strerror(code),
        "check that the address is right and the server answers in time");
  }
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(c, CURLINFO_CONTENT_TYPE, &type);
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
  return colon < at ? url.substr(0, colon) + ":..." + url.substr(at) : url;
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
