// The samples of one series in the order in which a SeriesBuilder received them.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/read/metric_series.h"

namespace lento::fleet {

struct SeriesBuilder::Column {
  std::vector<int64_t> time_ms;
  std::vector<float> value;
};

}  // namespace lento::fleet
