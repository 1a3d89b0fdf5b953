// Several Alertmanagers, each told until it took everything; who is away is told later.
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
  // credentials; LENTO_ALERTMANAGER_TOKEN and _BASIC where not given
  std::string token_file;
  std::string basic_file;
};

// Throws base::Error when the credentials cannot be read.
base::HttpOptions http_of(const AlertmanagerOptions& options);

class Alertmanagers : public AlertSink {
 public:
  Alertmanagers(const AlertmanagerOptions& options, std::function<void(const std::string&)> note);

  bool send(const std::vector<Alert>& alerts) override;
  void reload(const AlertmanagerOptions& options);  // credentials; what cannot be read changes nothing
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
