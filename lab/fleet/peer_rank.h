// All machines by how unusual they are over one given window, without a threshold: for sets of short labelled
// segments, of which it is known that one machine is ill.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct RankedMachine {
  size_t machine = 0;
  double score = 0;  // mean of the top quarter of the metrics' scores
};

// Steps [from, to) as one window, earlier steps being the machines' past. `metrics`: judged; empty: all.
std::vector<RankedMachine> rank_among_peers(
    const MetricSeries& series,
    size_t from,
    size_t to,
    std::span<const std::string> metrics = {});

}  // namespace lento::fleet
