// Where the words of a watch go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "finding/finding.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

// What a watch says as it goes: a verdict for its output, everything else for its log.
struct WatchLog {
  std::function<void(const std::string&)> say = [](const std::string&) {};
  // The line to say when an alert begins, at a moment in Unix milliseconds; when none is set, time and
  // summary.
  std::function<std::string(int64_t, const Alert&)> line_of;
  bool say_ends = false;  // also when one ends; without, that is a note
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<std::string(finding::Diagnosis)> text_of;  // for the diagnosis file
};

}  // namespace lento::fleet
