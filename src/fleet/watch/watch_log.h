// The outputs of a watch: lines for alerts, notes for everything else, and the text of its diagnosis file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "finding/finding.h"
#include "fleet/read/prometheus.h"

namespace lento::fleet {

// Functions that receive the output lines of a watch: `say` those of alerts, `note` all others.
struct WatchLog {
  std::function<void(const std::string&)> say = [](const std::string&) {};
  // Returns the line for an alert that begins at a time in Unix milliseconds. When not set, the line is time
  // and summary.
  std::function<std::string(int64_t, const Alert&)> line_of;
  bool say_ends = false;  // `say` receives the end of an alert too; false: `note` does
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<std::string(finding::Diagnosis)> text_of;  // for the diagnosis file
};

}  // namespace lento::fleet
