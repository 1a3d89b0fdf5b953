// Posts alerts to an Alertmanager through version 2 of its interface.
#include <cstdio>
#include <ctime>

#include "base/error.h"
#include "base/json.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

std::string rfc3339(int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  std::snprintf(
      text,
      sizeof text,
      "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
      utc.tm_year + 1900,
      utc.tm_mon + 1,
      utc.tm_mday,
      utc.tm_hour,
      utc.tm_min,
      utc.tm_sec,
      int(unix_ms % 1000));
  return text;
}

void post_alerts(const std::string& url, const base::HttpOptions& http, const std::vector<Alert>& alerts) {
  base::Json list = base::Json::array();
  for (const Alert& a : alerts) {
    base::Json labels = base::Json::object();
    base::Json annotations = base::Json::object();
    for (const auto& [k, v] : a.labels)
      labels.set(k, v);
    for (const auto& [k, v] : a.annotations)
      annotations.set(k, v);
    list.push(base::Json::object()
                  .set("labels", std::move(labels))
                  .set("annotations", std::move(annotations))
                  .set("startsAt", rfc3339(a.starts_ms))
                  .set("endsAt", rfc3339(a.ends_ms)));
  }
  base::HttpRequest request;
  request.method = "POST";
  request.url = url + "/api/v2/alerts";
  request.headers = {"Content-Type: application/json"};
  request.body = base::write_json(list);
  const base::HttpReply reply = base::http_request(request, http);
  if (reply.status != 200) {
    throw base::Error(
        {base::without_password(url)},
        "the Alertmanager answered status " + std::to_string(reply.status) + ": " +
            reply.body.substr(0, 200));
  }
}

}  // namespace lento::fleet
