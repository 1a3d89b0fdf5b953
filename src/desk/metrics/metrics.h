// Pages of metrics as exporters serve them at /metrics, saved at one moment: docs/formats/desk-metrics.md.
#pragma once

#include <string_view>

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kMetricsPage;
extern const Format kMetricsAnswer;

Formats metrics_formats();

// Returns the quantity of a metric by its name: its kind, and the side on which a deviation is a fault.
Quantity quantity_of(std::string_view metric);

}  // namespace lento::desk
