// Counters in recorded tables. A counter only rises, and falls when its program starts again. Its level is
// the age of a program, so that a restart would look like a loss, and its rise per second is the amount.
#pragma once

#include "fleet/read/metric_series.h"

namespace lento::fleet {

// Replaces each metric that only rises by its rise per second, named "rate(NAME)". A value that is less than
// the one before, as after a restart, has none. The notes of the series name the counters.
void counters_to_rates(MetricSeries& series);

}  // namespace lento::fleet
