// Reads the scrape targets of a store, which are the machines in the job whether they respond or not. A list
// that is much shorter than usual counts as incomplete, unless it stays short.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/feed.h"

namespace lento::fleet {

class TargetList {
 public:
  // Reads the targets if the last read is long enough ago. Returns the machines in the response, even in an
  // incomplete one.
  std::vector<std::string> read(Feed& feed, int64_t steady_ms, int64_t step_ms);
  // Ignores the list when it lacks most machines that send samples, because it then uses other names for
  // machines.
  void doubt(const MetricSeries& answer);

  bool known() const {
    return known_;
  }
  const std::map<std::string, bool>& up() const {  // by machine, from the last complete list
    return up_;
  }
  int64_t whole_ms() const {  // steady time of that list
    return whole_ms_;
  }

 private:
  std::map<std::string, bool> up_;
  size_t usual_ = 0;
  int64_t read_ms_ = INT64_MIN;
  int64_t shrunk_ms_ = 0;  // steady time since which responses are short
  int64_t whole_ms_ = 0;
  bool known_ = false;
};

}  // namespace lento::fleet
