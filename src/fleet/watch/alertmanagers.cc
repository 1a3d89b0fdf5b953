// Keeps the alerts that an Alertmanager has not accepted yet and sends them again with the next ones.
#include "fleet/watch/alertmanagers.h"

#include "base/error.h"
#include "fleet/source.h"

namespace lento::fleet {
namespace {

constexpr size_t kMostPending = 10'000;  // the oldest are dropped: active alerts are sent again anyway

}  // namespace

base::HttpOptions http_of(const AlertmanagerOptions& o) {
  base::HttpOptions http = o.http;
  read_credentials(o.token_file, o.basic_file, "LENTO_ALERTMANAGER", http);
  return http;
}

Alertmanagers::Alertmanagers(const AlertmanagerOptions& options, std::function<void(const std::string&)> note)
    : http_(http_of(options)),
      note_(std::move(note)) {
  for (std::string url : options.urls) {
    while (url.ends_with('/'))
      url.pop_back();
    all_.push_back({std::move(url), {}, false});
  }
}

void Alertmanagers::reload(const AlertmanagerOptions& options) {
  try {
    http_ = http_of(options);
  } catch (const std::exception& e) {
    note_(std::string(e.what()) + "\n  (keeping what was read before)");
  }
}

bool Alertmanagers::send(const std::vector<Alert>& alerts) {
  bool all = true;
  for (One& one : all_) {
    one.pending.insert(one.pending.end(), alerts.begin(), alerts.end());
    while (one.pending.size() > kMostPending)
      one.pending.pop_front();
    all = send(one) && all;
  }
  return all;
}

bool Alertmanagers::send(One& to) {
  if (to.pending.empty())
    return true;
  try {
    post_alerts(to.url, http_, {to.pending.begin(), to.pending.end()});
    to.pending.clear();
    if (to.failing)
      note_(to.url + " takes alerts again");
    to.failing = false;
  } catch (const std::exception& e) {
    ++failed_;
    if (!to.failing)
      note_(std::string(e.what()) + "\n  (keeping the alerts, trying again)");
    to.failing = true;
  }
  return !to.failing;
}

}  // namespace lento::fleet
