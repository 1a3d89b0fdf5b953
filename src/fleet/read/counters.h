// Finds counters in recorded tables. A counter only rises, except that a restart of its program resets it.
// Its level depends on the age of the program, so only its rise per second is comparable between machines.
#pragma once

#include "fleet/read/metric_series.h"

namespace lento::fleet {

// Replaces each metric that only rises by its rise per second, named "rate(NAME)". A value below the previous
// one, as after a restart, becomes NaN. The notes of the series name the counters.
void counters_to_rates(MetricSeries& series);

}  // namespace lento::fleet
