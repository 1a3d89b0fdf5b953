// Parses one line of a metrics page in Prometheus' text format or in OpenMetrics.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento::fleet {

struct ExpositionSample {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> labels;
  std::string_view value;
  std::string_view time;  // empty: the moment of the scrape
};

// Returns false when the line is no sample. The views in `out` point into `line`.
bool parse_exposition(std::string_view line, ExpositionSample& out);

}  // namespace lento::fleet
