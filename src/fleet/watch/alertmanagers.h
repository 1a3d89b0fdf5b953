// Sends alerts to several Alertmanagers. An Alertmanager that was down receives every alert once it responds
// again.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/http/http.h"
#include "fleet/feed.h"

namespace lento::fleet {

struct AlertmanagerOptions {
  std::vector<std::string> urls;
  base::HttpOptions http;  // TLS and limits, for all of them
  // Credentials. Without files the variables LENTO_ALERTMANAGER_TOKEN and LENTO_ALERTMANAGER_BASIC are used.
  std::string token_file;
  std::string basic_file;
};

// Throws base::Error when the credentials cannot be read.
base::HttpOptions http_of(const AlertmanagerOptions& options);

class Alertmanagers : public AlertSink {
 public:
  Alertmanagers(const AlertmanagerOptions& options, std::function<void(const std::string&)> note);

  bool send(const std::vector<Alert>& alerts) override;
  void reload(const AlertmanagerOptions& options);  // credentials; unreadable files change nothing
  uint64_t failed() const {
    return failed_;
  }

 private:
  struct One {
    std::string url;
    std::deque<Alert> pending;
    bool failing = false;
  };
  bool send(One& to);

  base::HttpOptions http_;
  std::function<void(const std::string&)> note_;
  std::vector<One> all_;
  uint64_t failed_ = 0;
};

}  // namespace lento::fleet
