// Orders machines by how unusual they are over one given window, without a threshold. For sets of short
// labelled segments in which one machine is ill.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct RankedMachine {
  size_t machine = 0;
  double score = 0;  // distance from the peers over all metrics
};

// Takes steps [from, to) as one window, with earlier steps as the machines' past. `metrics` are those that
// are judged, all when empty.
std::vector<RankedMachine> rank_among_peers(
    const MetricSeries& series,
    size_t from,
    size_t to,
    std::span<const std::string> metrics = {});

}  // namespace lento::fleet
