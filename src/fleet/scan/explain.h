// Explains why a machine was reported at a certain time, or how close a machine without a finding came to
// one.
#pragma once

#include <cstdint>
#include <string>

#include "finding/finding.h"
#include "fleet/read/metric_series.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

// Scans the record and collects the tests of one machine. The diagnosis holds its strongest tests over time,
// as facts and a picture. Throws base::Error when the record has no machine of this name.
finding::Diagnosis
explain(const MetricSeries& series, const std::string& machine, const ScanOptions& options);

// Throws base::Error when an alert of the time `alert_ms` lies outside the record, which then cannot explain
// it.
void require_time(const MetricSeries& series, int64_t alert_ms);

}  // namespace lento::fleet
