// The metrics of common exporters that tell machines of a training job apart.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace lento::fleet {

// Stored name and what it means, in the order in which they are worth pulling. `exporter` is "dcgm"
// (dcgm-exporter) or "node" (node-exporter; gauges only: counters need a recording rule with rate()).
const std::vector<std::pair<std::string_view, std::string_view>>& exporter_metrics(std::string_view exporter);

}  // namespace lento::fleet
