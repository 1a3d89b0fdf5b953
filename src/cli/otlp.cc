// Sends findings to an OpenTelemetry collector. Address and headers follow the conventions of the OTLP
// exporters, so that an environment set up for them works here.
#include "cli/otlp.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/http/head.h"
#include "base/http/http.h"
#include "report/report.h"

namespace lento::cli {
namespace {

uint64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

bool is_address(const std::string& target) {
  return target.starts_with("http://") || target.starts_with("https://");
}

// Returns the address with the path of OTLP's log endpoint.
std::string with_path(std::string url) {
  const size_t host = url.find("://") + 3;
  const size_t slash = url.find('/', host);
  if (slash == std::string::npos)
    return url + "/v1/logs";
  if (slash + 1 == url.size())
    return url + "v1/logs";
  return url;
}

// Decodes a header value, which OpenTelemetry writes as in a URL ("Bearer%20secret"). Throws Error when it
// holds control characters, which could add a header.
std::string decoded(const std::string& value) {
  const std::string text = base::percent_decoded(value, false);
  if (std::ranges::any_of(text, [](char c) {
        return uint8_t(c) < ' ';
      })) {
    throw base::Error({"OTEL_EXPORTER_OTLP_HEADERS"}, "a value holds control characters");
  }
  return text;
}

// Returns the headers of a request, from OTEL_EXPORTER_OTLP_HEADERS too.
std::vector<std::string> headers() {
  std::vector<std::string> all = {"Content-Type: application/json"};
  const char* given = std::getenv("OTEL_EXPORTER_OTLP_HEADERS");
  const std::string text = given ? given : "";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const size_t equals = text.find('=', at);
    if (equals < end)
      all.push_back(text.substr(at, equals - at) + ": " + decoded(text.substr(equals + 1, end - equals - 1)));
    at = end + 1;
  }
  return all;
}

}  // namespace

void send_otlp(const std::string& target, const finding::Diagnosis& diagnosis) {
  if (!is_address(target))
    return base::write_file(target, report::write_otlp(diagnosis));
  const std::string url = with_path(target);
  const base::HttpReply reply =
      base::http_request({"POST", url, headers(), report::write_otlp(diagnosis, now_ns())});
  if (reply.status / 100 == 2)
    return;
  throw base::Error(
      {base::without_password(url)},
      "the collector answers " + std::to_string(reply.status) + ": " + reply.body.substr(0, 200),
      "does it take OTLP over HTTP with JSON, by default on port 4318?");
}

}  // namespace lento::cli
