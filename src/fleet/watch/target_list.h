// The targets of a store's scrapes: which machines are in the job whether they answer or not. A list that is
// far shorter than usual is half an answer, unless it stays so.
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
  // Asks the feed when it is time. Returns the machines that the answer names, whether it was whole or not.
  std::vector<std::string> read(Feed& feed, int64_t steady_ms, int64_t step_ms);
  // A list of other names than those of the machines that report says nothing about them.
  void doubt(const MetricSeries& answer);

  bool known() const {
    return known_;
  }
  const std::map<std::string, bool>& up() const {  // by machine, of the last whole list
    return up_;
  }
  int64_t whole_ms() const {  // steady time of that list
    return whole_ms_;
  }

 private:
  std::map<std::string, bool> up_;
  size_t usual_ = 0;
  int64_t read_ms_ = INT64_MIN;
  int64_t shrunk_ms_ = 0;  // steady time since which lists are short
  int64_t whole_ms_ = 0;
  bool known_ = false;
};

}  // namespace lento::fleet
